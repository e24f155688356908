#pragma once

#include <cstdint>

#include "kernels/device.h"
#include "runtime/events.h"
#include "runtime/host_memory.h"
#include "runtime/storage.h"

namespace ddlbench::runtime {

/// Blocks a device's compute stream while the host enqueues work, so that times between events are those of the device
/// alone, however slow a launch is. The stream waits for a copy that takes about as long as a hundred launches.
class Backlog {
 public:
  static constexpr std::size_t launches = 64;  ///< the number of launches that the copy outlasts

  explicit Backlog(kernels::Device& device);
  /// Work enqueued on the compute stream after this call starts when the host has enqueued all of it.
  void wait_for_event();

 private:
  static constexpr std::int64_t bytes = std::int64_t{64} << 20;
  kernels::Device& device_;
  DeviceMemory memory_;
  HostMemory pinned_;
  OwnedEvent copied_;
};

}  // namespace ddlbench::runtime
