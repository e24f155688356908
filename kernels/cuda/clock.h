#pragma once

#include <cstdint>

#include "kernels/cuda/event.h"
#include "kernels/cuda/stream.h"

namespace ddlbench::kernels::cuda {

/// Two moments whose host times are known, in nanoseconds of std::chrono::steady_clock, and the time between them by
/// the GPU's clock.
struct Anchors {
  std::int64_t older = 0, newer = 0;
  double milliseconds = 0;  ///< by the GPU's clock
};

/// Returns the host time of a moment from the GPU's times since the two anchors. Up to the newer anchor, it lies on the
/// line through both anchors, which corrects a GPU clock that runs at a different rate; from there on, the GPU's rate
/// is used. A later moment never gets an earlier time. `milliseconds_since_newer` is only used from the newer anchor
/// on.
std::int64_t host_time(const Anchors& anchors, double milliseconds_since_older, double milliseconds_since_newer);

/// A translator of event times to the host's clock. CUDA only reports the time between two events.
///
/// An anchor is an event on a separate, idle stream. It is recorded and waited for a few times; the shortest round trip
/// counts, and the middle of it is the anchor's host time. The error of a time is at most half that round trip
/// (microseconds), plus the resolution of cudaEventElapsedTime (half a microsecond according to CUDA's documentation; a
/// float of milliseconds is as fine up to 8 s) and, after the newer anchor, the drift between the two clocks since then
/// (quartz oscillators: tens of microseconds per second).
class Clock {
 public:
  Clock();

  /// Sets a new anchor if the newer one is at least a second old. Call it where the host waits for the GPU anyway, so
  /// that it delays nothing. All times that are read between two calls are translated with the same anchors.
  void align_if_old();

  /// Returns the host time of a complete event, in nanoseconds. The event must be later than the older anchor.
  std::int64_t time_of(const CudaEvent& event) const;

 private:
  struct Anchor {
    CudaEvent event{CudaEvent::Times::yes};
    std::int64_t host = 0;
  };
  Anchor measure() const;

  CudaStream stream_;
  Anchor older_, newer_;
  double interval_ = 0;  ///< between the anchors, in milliseconds
};

}  // namespace ddlbench::kernels::cuda
