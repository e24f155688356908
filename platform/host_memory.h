#pragma once

#include <cstddef>
#include <cstdint>

/// Memory of the devices that compute on the host.
namespace ddlbench::platform {

/// Who answers for a block: the plan of a device, or nobody, in which case it counts as the process's heap.
enum class HostUse : std::uint8_t { device, heap };

/// 64-byte aligned, from 2 MiB on 2 MiB aligned and in large pages where the system has them. Zeroed, and touched by
/// the calling thread, so that its pages lie near that thread and the first step does not pay for them. No more is
/// resident than `bytes` and the rest of a page. Throws std::bad_alloc.
void* allocate_host(std::size_t bytes, HostUse use = HostUse::heap);
/// The bytes that were asked for.
std::size_t release_host(void* memory) noexcept;

/// What devices have of it at present, in the whole process.
std::int64_t host_device_bytes();

}  // namespace ddlbench::platform
