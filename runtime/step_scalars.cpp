#include "runtime/step_scalars.h"

#include <cstring>

namespace ddlbench::runtime {

StepScalars::StepScalars(kernels::Device& device, std::byte* planned)
    : device_(device),
      planned_(planned != nullptr),
      own_(device, planned_ ? 0 : sizeof(Pair)),
      at_(planned_ ? planned : own_.data()) {}

std::int64_t StepScalars::unplanned_bytes(const program::Program& training) {
  return training.scalars.buffer != program::none ? 0 : static_cast<std::int64_t>(sizeof(Pair));
}

std::size_t StepScalars::pinned_bytes(const kernels::Device& device) {
  return device.asynchronous() ? sizeof(Pair) : 0;
}

void StepScalars::set(const graph::Scalars& values, bool training, const HostMemory& pinned) {
  if (training) values_.previous = values_.step;
  Pair pair = values_;
  pair.step = values;
  if (training) values_.step = values;
  const std::size_t bytes = planned_ ? offsetof(graph::Scalars, scaler) : sizeof pair;
  if (pinned.data() == nullptr) return device_.copy_in(at_, &pair, bytes);
  std::memcpy(pinned.data(), &pair, bytes);
  device_.copy_in(at_, pinned.data(), bytes, graph::Stream::compute);
}

std::optional<graph::LossScaler> StepScalars::scaler() const {
  if (!planned_) return std::nullopt;
  graph::LossScaler scaler;
  device_.copy_out(&scaler, at_ + offsetof(graph::Scalars, scaler), sizeof scaler);
  return scaler;
}

}  // namespace ddlbench::runtime
