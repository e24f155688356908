#pragma once

#include <cstdint>

#include "kernels/device.h"
#include "runtime/host_memory.h"
#include "runtime/marks.h"
#include "runtime/storage.h"

namespace ddlbench::runtime {

/// Keeps a device's compute stream held while the host puts work on it, so that the times between marks are the
/// device's own, however slow a launch is: a copy large enough to last for about a hundred launches, which the stream
/// waits for.
class Backlog {
 public:
  static constexpr std::size_t launches = 64;  ///< that it is good for

  explicit Backlog(kernels::Device& device);
  /// What is put on the compute stream from now on begins when the host has put it there.
  void hold();

 private:
  static constexpr std::int64_t bytes = std::int64_t{64} << 20;
  kernels::Device& device_;
  DeviceMemory memory_;
  HostMemory pinned_;
  OwnedMark copied_;
};

}  // namespace ddlbench::runtime
