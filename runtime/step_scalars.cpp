#include "runtime/step_scalars.h"

#include <algorithm>
#include <cstring>

#include "base/error.h"

namespace ddlbench::runtime {
namespace {

/// Returns the number of steps whose scalars a training needs at a time.
std::size_t steps_kept(const program::Program& training) {
  int back = 0;
  for (const program::Instructions& body : training.bodies)
    for (const program::Instruction& instruction : body) back = std::max(back, instruction.steps_back);
  return static_cast<std::size_t>(back) + 1;
}

}  // namespace

StepScalars::StepScalars(kernels::Device& device, const program::Program& training, std::byte* planned)
    : device_(device),
      rate_(training.rate),
      planned_(planned != nullptr),
      own_(device, unplanned_bytes(training)),
      at_(planned_ ? planned : own_.data()),
      values_(steps_kept(training)),
      sent_(values_.size()) {}

std::int64_t StepScalars::unplanned_bytes(const program::Program& training) {
  if (training.scalars.buffer != program::none) return 0;
  return static_cast<std::int64_t>(steps_kept(training) * sizeof(graph::Scalars));
}

std::size_t StepScalars::pinned_bytes(const kernels::Device& device, const program::Program& training) {
  return device.asynchronous() ? steps_kept(training) * sizeof(graph::Scalars) : 0;
}

const graph::Scalars* StepScalars::of(int steps_back) const {
  require(steps_back == 0 || (!planned_ && static_cast<std::size_t>(steps_back) < values_.size()),
          "the scalars of {} steps before are not kept", steps_back);
  return reinterpret_cast<const graph::Scalars*>(at_) + steps_back;
}

void StepScalars::set(const graph::Scalars& values, bool training, const HostMemory& pinned) {
  graph::Scalars own = values;
  if (training) own.learning_rate = static_cast<float>(own.learning_rate * rate_.factor(own.step));
  send(own, training, pinned);
}

void StepScalars::send(const graph::Scalars& values, bool training, const HostMemory& pinned) {
  sent_ = values_;
  if (training) std::rotate(sent_.begin(), sent_.end() - 1, sent_.end());
  sent_.front() = values;
  if (training) values_ = sent_;
  const std::size_t bytes = planned_ ? offsetof(graph::Scalars, scaler) : sent_.size() * sizeof(graph::Scalars);
  if (pinned.data() == nullptr) return device_.copy_in(at_, sent_.data(), bytes);
  std::memcpy(pinned.data(), sent_.data(), bytes);
  device_.copy_in(at_, pinned.data(), bytes, graph::Stream::compute);
}

std::optional<graph::LossScaler> StepScalars::scaler() const {
  if (!planned_) return std::nullopt;
  graph::LossScaler scaler;
  device_.copy_out(&scaler, at_ + offsetof(graph::Scalars, scaler), sizeof scaler);
  return scaler;
}

}  // namespace ddlbench::runtime
