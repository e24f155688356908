#include "kernels/cuda/events.h"

#include "base/error.h"
#include "kernels/cuda/check.h"
#include "kernels/cuda/streams.h"

namespace ddlbench::kernels::cuda {

Event Events::make(EventKind kind) {
  Slot slot{kind, CudaEvent(kind == EventKind::time ? CudaEvent::Times::yes : CudaEvent::Times::no)};
  if (free_.empty()) {
    free_.reserve(slots_.size() + 1);  // for release(), which cannot throw
    slots_.emplace_back(std::move(slot));
    return static_cast<Event>(slots_.size() - 1);
  }
  const Event event = free_.back();
  free_.pop_back();
  slots_[static_cast<std::size_t>(event)] = std::move(slot);
  return event;
}

void Events::release(Event event) noexcept {
  const auto index = static_cast<std::size_t>(event);
  if (event < 0 || index >= slots_.size() || !slots_[index]) return;
  slots_[index].reset();
  free_.push_back(event);
}

const Events::Slot& Events::at(Event event) const {
  const auto index = static_cast<std::size_t>(event);
  require(event >= 0 && index < slots_.size() && slots_[index].has_value(), "an event does not belong to this device");
  return *slots_[index];
}

void Events::record(Event event, cudaStream_t stream) const {
  const Slot& slot = at(event);
  const bool external = slot.kind == EventKind::time && is_recording(stream);
  check(cudaEventRecordWithFlags(slot.event.native(), stream,
                                 external ? cudaEventRecordExternal : cudaEventRecordDefault),
        "recording an event");
}

std::int64_t Events::time_of(Event event) const {
  const Slot& slot = at(event);
  require(slot.kind == EventKind::time, "an event without timing has no time");
  return clock_.time_of(slot.event);
}

}  // namespace ddlbench::kernels::cuda
