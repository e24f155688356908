#pragma once

#include <map>
#include <memory>
#include <vector>

#include "runtime/state.h"

namespace ddlbench::runtime {

/// The gradients of one training step, whole, also of a plan that keeps none (program::Role::state): those are copied,
/// by the rank that gives them, before an instruction of the optimizer that takes them.
class StepGradients {
 public:
  /// Before the step. Where gradients are not kept, it takes the engine's hook until it ends, and there is none after.
  StepGradients(Engine& engine, comm::Communicator& communicator);
  ~StepGradients();
  StepGradients(const StepGradients&) = delete;
  StepGradients& operator=(const StepGradients&) = delete;

  /// After the step, once: on rank 0, empty elsewhere. Collective.
  Tensors take();

 private:
  void read_inputs_of(const program::Instruction& instruction);
  void give(const program::HeldState& held, float* to);

  Engine& engine_;
  std::vector<const program::StateShard*> passing_;  ///< that this rank has to give
  std::map<const program::StateShard*, std::vector<float>> found_;
  std::unique_ptr<Gatherer> gatherer_;
};

}  // namespace ddlbench::runtime
