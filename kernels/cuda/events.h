#pragma once

#include <optional>
#include <vector>

#include "kernels/cuda/clock.h"
#include "kernels/cuda/event.h"
#include "kernels/device.h"

namespace ddlbench::kernels::cuda {

/// The marks of a device.
///
/// While streams are recorded CUDA has two kinds of record, and an event can be of one kind alone. A plain one
/// (EventKind::order) makes a place in the graph that other recorded streams can wait for; it has no state that could
/// be asked for. An external one (EventKind::time) becomes a node that records the event anew at each launch of the
/// graph, so that the event has state and time like any other afterwards; no recorded stream can wait for it. What does
/// not fit is refused by CUDA: a hold by a mark from before the recording (cudaErrorStreamCaptureIsolation), a question
/// to an order mark of a recording (cudaErrorCapturedEvent).
class Events {
 public:
  Event make(EventKind mark);
  void release(Event event) noexcept;

  void record(Event event, cudaStream_t stream) const;
  void wait_for_event(cudaStream_t stream, Event event) const { at(event).event.wait_for_event(stream); }
  bool complete(Event event) const { return at(event).event.complete(); }
  void wait(Event event) const { at(event).event.wait(); }
  /// Of a EventKind::time. It is told by the launch that recorded it last, so it is asked before the next one.
  std::int64_t time_of(Event event) const;
  void align_clock() { clock_.align_if_old(); }

 private:
  struct Slot {
    EventKind mark;
    CudaEvent event;
  };
  const Slot& at(Event event) const;

  Clock clock_;
  std::vector<std::optional<Slot>> slots_;
  std::vector<Event> free_;
};

}  // namespace ddlbench::kernels::cuda
