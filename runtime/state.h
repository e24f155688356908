#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "runtime/engine.h"

namespace ddlbench::runtime {

/// Whole tensors by name, as stored in checkpoints and compared by certificates, independent of sharding.
using Tensors = std::map<std::string, std::vector<float>>;

/// Collects whole tensors of some classes of state on rank 0. It collects one tensor at a time, so that rank 0 need
/// hold only one. If several ranks hold the same part, the lowest rank provides it.
class Gatherer {
 public:
  /// Fetches the part of a tensor that this rank provides. The default is Engine::read.
  using Read = std::function<void(const program::HeldState& held, float* to)>;

  /// `communicator` must span all ranks of the engine's plan. It and the engine must outlive the object. Throws
  /// ContractError on all ranks unless the parts of each tensor cover every element exactly once. Collecting state that
  /// the plan does not keep also throws ContractError; use StepGradients for that.
  /// `means`: also collects the means of state of which every rank has its own (program::Copies::mean).
  Gatherer(const Engine& engine, const std::vector<program::MemoryClass>& classes, comm::Communicator& communicator,
           bool means = false);
  Gatherer(const Engine& engine, const std::vector<program::MemoryClass>& classes, comm::Communicator& communicator,
           Read read, bool means = false);
  ~Gatherer();
  Gatherer(const Gatherer&) = delete;
  Gatherer& operator=(const Gatherer&) = delete;

  /// Returns every tensor of the classes, on any rank.
  const std::map<std::string, graph::TensorType>& tensors() const;
  /// Returns true if this rank provides some of `shard`.
  bool provides(const program::StateShard& shard) const;
  /// Returns one tensor; empty on ranks other than 0. Collective.
  std::vector<float> collect(const std::string& tensor) const;
  /// Returns the given positions of a tensor's outermost dimension, so that no more need be held. Collective.
  std::vector<float> collect(const std::string& tensor, const graph::Extent& rows) const;
  /// Returns all tensors; empty on ranks other than 0. Collective.
  Tensors all() const;

 private:
  struct Sources;
  comm::Communicator& communicator_;
  Read read_;
  std::unique_ptr<Sources> sources_;
};

/// Returns a class of state (parameters, gradients, …) as whole tensors on rank 0; empty elsewhere. Collective. Throws
/// as Gatherer does.
Tensors gather(const Engine& engine, program::MemoryClass memory_class, comm::Communicator& communicator);

}  // namespace ddlbench::runtime
