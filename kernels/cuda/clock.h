#pragma once

#include <cstdint>

#include "kernels/cuda/event.h"
#include "kernels/cuda/stream.h"

namespace ddlbench::kernels::cuda {

/// Two moments whose host time is known, in nanoseconds of std::chrono::steady_clock, and how far apart the GPU's clock
/// sees them.
struct Anchors {
  std::int64_t older = 0, newer = 0;
  double milliseconds = 0;  ///< by the GPU's clock
};

/// The host time of a moment that the GPU's clock sees so long after the two: on the line through both as far as the
/// newer one, so that a clock that runs at another rate is put right there, and at the GPU's rate from then on. A
/// later moment is never put before an earlier one.
/// `milliseconds_since_newer` counts from the newer one on alone.
std::int64_t host_time(const Anchors& anchors, double milliseconds_since_older, double milliseconds_since_newer);

/// Translates the time of events to the host's clock: CUDA tells only the time between two events.
///
/// An anchor is an event on an idle stream of its own, recorded and waited for a few times; the shortest round trip
/// counts, and the host time is its middle. The error of a time is at most half that round trip (microseconds), the
/// rounding of cudaEventElapsedTime (half a microsecond by CUDA's word; a float of milliseconds is as fine up to 8 s)
/// and, behind the newer anchor, what the two clocks drift apart meanwhile (crystals: tens of microseconds per second).
class Clock {
 public:
  Clock();

  /// Sets a new anchor where the newer one is a second old: called where the host waits for the GPU anyway, so that
  /// it holds nothing up. All times asked for between two calls are translated by the same anchors.
  void align_if_old();

  /// When a complete event came: one since the anchor before last.
  std::int64_t time_of(const CudaEvent& event) const;

 private:
  struct Anchor {
    CudaEvent event{CudaEvent::Times::yes};
    std::int64_t host = 0;
  };
  Anchor measure() const;

  CudaStream stream_;
  Anchor older_, newer_;
  double apart_ = 0;  ///< milliseconds
};

}  // namespace ddlbench::kernels::cuda
