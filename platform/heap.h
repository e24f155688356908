#pragma once

#include <cstdint>

/// The heap memory of this process: every malloc, calloc, realloc, aligned_alloc, … and operator new of any thread and
/// library, at the sizes that the allocator really returned, plus host memory that no device accounts for
/// (HostUse::heap). Memory that libraries map themselves (generated code, thread stacks, files) is not included; it
/// counts as resident memory. ddlbench replaces glibc's malloc for this; the cost is one atomic addition per call.
namespace ddlbench::platform {

/// Returns whether the heap is counted. It is not under sanitizers, which replace malloc themselves, nor with a C
/// library other than glibc.
bool heap_is_counted();

std::int64_t heap_bytes();
/// Returns the peak since the process started, or since reset_heap_peak().
std::int64_t heap_peak_bytes();
void reset_heap_peak();

/// Adds memory that does not come from malloc; `bytes` is negative when it is released.
void count_heap(std::int64_t bytes);

/// Allocates memory that is not counted. `alignment` must be a power of two.
void* allocate_uncounted(std::size_t alignment, std::size_t bytes);
void release_uncounted(void* memory) noexcept;

}  // namespace ddlbench::platform
