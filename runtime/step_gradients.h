#pragma once

#include <map>
#include <memory>
#include <vector>

#include "runtime/state.h"

namespace ddlbench::runtime {

/// Collects the whole gradients of one training step, even if the plan does not keep them (program::Role::state). In
/// that case the rank that provides a gradient copies it before the optimizer instruction that uses it.
class StepGradients {
 public:
  /// Create before the step. If gradients are not kept, replaces the engine's hook until destruction, which removes it.
  StepGradients(Engine& engine, comm::Communicator& communicator);
  ~StepGradients();
  StepGradients(const StepGradients&) = delete;
  StepGradients& operator=(const StepGradients&) = delete;

  /// Returns the gradients on rank 0, empty elsewhere. Call once, after the step. Collective.
  Tensors take();

 private:
  void read_inputs_of(const program::Instruction& instruction);
  void provide(const program::HeldState& held, float* to);

  Engine& engine_;
  std::vector<const program::StateShard*> transient_;  ///< provided by this rank
  std::map<const program::StateShard*, std::vector<float>> found_;
  std::unique_ptr<Gatherer> gatherer_;
};

}  // namespace ddlbench::runtime
