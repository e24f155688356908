#pragma once

#include <optional>
#include <vector>

#include "kernels/cuda/clock.h"
#include "kernels/cuda/event.h"
#include "kernels/device.h"

namespace ddlbench::kernels::cuda {

/// The events of a device.
///
/// While streams record, CUDA has two ways to record an event, and an event can use only one of them. A plain record
/// (EventKind::order) marks a point of the graph for which other recorded streams can wait; the event has no state that
/// could be queried. An external record (EventKind::time) becomes a node that records the event anew at each launch of
/// the graph. The event then has a state and a time like any other, but no recorded stream can wait for it. CUDA
/// rejects all else: a wait for an event from before the recording (cudaErrorStreamCaptureIsolation), and a query of an
/// order event of a recording (cudaErrorCapturedEvent).
class Events {
 public:
  Event make(EventKind kind);
  void release(Event event) noexcept;

  void record(Event event, cudaStream_t stream) const;
  void wait_for_event(cudaStream_t stream, Event event) const { at(event).event.wait_for_event(stream); }
  bool complete(Event event) const { return at(event).event.complete(); }
  void wait(Event event) const { at(event).event.wait(); }
  /// Returns the time of an event of EventKind::time. Each launch that records the event overwrites it, so read it
  /// before the next one.
  std::int64_t time_of(Event event) const;
  void align_clock() { clock_.align_if_old(); }

 private:
  struct Slot {
    EventKind kind;
    CudaEvent event;
  };
  const Slot& at(Event event) const;

  Clock clock_;
  std::vector<std::optional<Slot>> slots_;
  std::vector<Event> free_;
};

}  // namespace ddlbench::kernels::cuda
