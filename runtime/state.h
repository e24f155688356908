#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "runtime/engine.h"

namespace ddlbench::runtime {

/// Whole tensors by name: what checkpoints store and certificates compare, whatever the sharding.
using Tensors = std::map<std::string, std::vector<float>>;

/// Collects tensors of some classes of state whole on rank 0, one after another, so that it holds one of them at a
/// time. Where several ranks hold the same part, the lowest gives it.
class Gatherer {
 public:
  /// Fetches what this rank gives of a tensor: Engine::read, unless it has to come from elsewhere.
  using Read = std::function<void(const program::HeldState& held, float* to)>;

  /// `communicator` spans all ranks of the engine's plan; both outlive this. Throws ContractError on all ranks unless
  /// the parts of each tensor cover every element once. To collect what the plan does not keep is a ContractError, too:
  /// StepGradients has it.
  Gatherer(const Engine& engine, const std::vector<program::MemoryClass>& classes, comm::Communicator& communicator);
  Gatherer(const Engine& engine, const std::vector<program::MemoryClass>& classes, comm::Communicator& communicator,
           Read read);
  ~Gatherer();
  Gatherer(const Gatherer&) = delete;
  Gatherer& operator=(const Gatherer&) = delete;

  /// Every tensor of the classes, on any rank.
  const std::map<std::string, graph::TensorType>& tensors() const;
  /// Whether this rank gives some of what it has of one of them.
  bool gives(const program::StateShard& shard) const;
  /// One of them; empty on the other ranks. Collective.
  std::vector<float> collect(const std::string& tensor) const;
  /// Of one of them these places of its outermost dimension, so that no more than those need be held. Collective.
  std::vector<float> collect(const std::string& tensor, const graph::Extent& rows) const;
  /// All of them; empty on the other ranks. Collective.
  Tensors all() const;

 private:
  struct Sources;
  comm::Communicator& communicator_;
  Read read_;
  std::unique_ptr<Sources> sources_;
};

/// A class of state (parameters, gradients, …) whole on rank 0; empty elsewhere. Collective. Throws as Gatherer does.
Tensors gather(const Engine& engine, program::MemoryClass memory_class, comm::Communicator& communicator);

}  // namespace ddlbench::runtime
