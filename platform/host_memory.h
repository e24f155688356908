#pragma once

#include <cstddef>
#include <cstdint>

/// Memory of devices that compute on the host.
namespace ddlbench::platform {

/// What a block is accounted to: the memory plan of a device, or the heap of the process.
enum class HostUse : std::uint8_t { device, heap };

/// Allocates memory aligned to 64 bytes; from 2 MiB on, it is aligned to 2 MiB and uses large pages where the system
/// has them. The calling thread zeroes it, so that the pages lie near that thread and the first step does not pay for
/// page faults. At most `bytes`, rounded up to whole pages, are resident. Throws std::bad_alloc.
void* allocate_host(std::size_t bytes, HostUse use = HostUse::heap);
/// Releases memory from allocate_host(). Returns the number of bytes that were requested.
std::size_t release_host(void* memory) noexcept;

/// Returns the bytes currently allocated for devices (HostUse::device) in the whole process.
std::int64_t host_device_bytes();

}  // namespace ddlbench::platform
