#include "runtime/step_gradients.h"

#include <algorithm>

#include "base/error.h"

namespace ddlbench::runtime {

using namespace program;

StepGradients::StepGradients(Engine& engine, comm::Communicator& communicator) : engine_(engine) {
  const auto is_transient = [&engine](const StateShard& shard) {
    return shard.memory_class == MemoryClass::gradients &&
           !engine.role().train.buffers[static_cast<std::size_t>(shard.view.buffer)].persistent;
  };
  const std::vector<StateShard>& state = engine.role().state;
  if (std::none_of(state.begin(), state.end(), is_transient)) {
    gatherer_ = std::make_unique<Gatherer>(engine, std::vector{MemoryClass::gradients}, communicator);
    return;
  }
  gatherer_ = std::make_unique<Gatherer>(engine, std::vector{MemoryClass::gradients}, communicator,
                                         [this](const HeldState& held, float* to) { provide(held, to); });
  for (const StateShard& shard : state)
    if (is_transient(shard) && gatherer_->provides(shard)) transient_.push_back(&shard);
  if (transient_.empty()) return;
  engine.set_hook([this](Mode mode, const Instruction& instruction) {
    if (mode == Mode::train && instruction.phase == Phase::optimizer) read_inputs_of(instruction);
  });
}

StepGradients::~StepGradients() {
  if (!transient_.empty()) engine_.set_hook({});
}

void StepGradients::read_inputs_of(const Instruction& instruction) {
  const auto* compute = std::get_if<Compute>(&instruction.action);
  if (compute == nullptr) return;
  for (const StateShard* shard : transient_) {
    const auto takes_it = [&](const Operand& input) { return input.view.buffer == shard->view.buffer; };
    if (std::none_of(compute->inputs.begin(), compute->inputs.end(), takes_it)) continue;
    const std::int64_t elements = shard->view.bytes / static_cast<std::int64_t>(graph::size_of(shard->whole.dtype));
    std::vector<float>& values = found_[shard];
    values.resize(static_cast<std::size_t>(elements));
    engine_.read({shard, {0, elements}, shard->view}, values.data());
  }
}

/// The last part of a tensor is requested last, so the copy is released as soon as it is not needed.
void StepGradients::provide(const HeldState& held, float* to) {
  const auto found = found_.find(held.shard);
  require(found != found_.end(), "no update took the gradient of '" + held.shard->tensor + "'");
  const std::vector<float>& values = found->second;
  std::copy(values.begin() + held.elements.begin, values.begin() + held.elements.end, to);
  if (held.elements.end == static_cast<std::int64_t>(values.size())) found_.erase(found);
}

Tensors StepGradients::take() {
  return gatherer_->all();
}

}  // namespace ddlbench::runtime
