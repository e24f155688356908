#pragma once

#include <cstdint>

#include "kernels/device.h"
#include "runtime/recorder.h"

namespace ddlbench::runtime {

/// Aligns the clock of an asynchronous device with the host's again and again: in a second the two drift apart by tens
/// of microseconds, and times would be wrong by as much.
class ClockAlignment {
 public:
  explicit ClockAlignment(kernels::Device& device) : device_(device) {}

  /// Call after each step. Returns whether to align now, when the device is idle.
  bool due() {
    if (!device_.asynchronous() || ++steps_ < steps_between) return false;
    return now() - aligned_ >= nanoseconds_between;
  }
  void align() {
    device_.align_clock();
    aligned_ = now();
    steps_ = 0;
  }

 private:
  static constexpr std::int64_t nanoseconds_between = 1'000'000'000;
  static constexpr int steps_between = 16;  ///< an alignment loses the one-step lead of the host

  kernels::Device& device_;
  std::int64_t aligned_ = 0;
  int steps_ = steps_between;  ///< since then
};

}  // namespace ddlbench::runtime
