#pragma once

#include <cstddef>

/// Memory of the devices that compute on the host.
namespace ddlbench::kernels {

/// 64-byte aligned, from 2 MiB on 2 MiB aligned, and touched by the calling thread (zeroed), so that its
/// pages lie near that thread and the first step does not pay for them. Throws std::bad_alloc.
void* allocate_host(std::size_t bytes);
void release_host(void* memory) noexcept;

}  // namespace ddlbench::kernels
