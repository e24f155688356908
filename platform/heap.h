#pragma once

#include <cstdint>

/// What this process has on its heap: every malloc, calloc, realloc, aligned_alloc, … and operator new of any thread
/// and library, at the sizes that the allocator really gave, and host memory beside that of devices (HostUse::heap).
/// Memory that a library maps itself (generated code, stacks of threads, files) is not in it: it counts among what is
/// resident. The program's own malloc stands before glibc's; it costs an addition to one counter per call.
namespace ddlbench::platform {

/// Whether anything is counted: not under sanitizers, whose own malloc it is, nor with another C library than glibc.
bool heap_is_counted();

std::int64_t heap_bytes();
/// The most since the process began, or since begin_heap_peak().
std::int64_t heap_peak_bytes();
void begin_heap_peak();

/// Of memory that does not come from malloc; negative where it goes.
void count_heap(std::int64_t bytes);

/// Not counted. `alignment`: a power of two.
void* allocate_uncounted(std::size_t alignment, std::size_t bytes);
void release_uncounted(void* memory) noexcept;

}  // namespace ddlbench::platform
