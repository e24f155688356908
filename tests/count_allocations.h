#pragma once

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>

// Replaces operator new. Include it in one source file of a test binary.

namespace ddlbench::test {

/// The number of allocations of the whole binary so far, in any thread.
inline std::atomic<std::int64_t> allocations{0};

inline void* counted_or_null(std::size_t bytes) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return std::malloc(bytes == 0 ? 1 : bytes);
}

inline void* counted(std::size_t bytes) {
  if (void* memory = counted_or_null(bytes)) return memory;
  throw std::bad_alloc();
}

inline void* counted(std::size_t bytes, std::align_val_t alignment) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  const auto align = static_cast<std::size_t>(alignment);
  if (void* memory = std::aligned_alloc(align, (bytes + align - 1) / align * align)) return memory;
  throw std::bad_alloc();
}

}  // namespace ddlbench::test

void* operator new(std::size_t bytes) {
  return ddlbench::test::counted(bytes);
}
void* operator new[](std::size_t bytes) {
  return ddlbench::test::counted(bytes);
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return ddlbench::test::counted(bytes, alignment);
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return ddlbench::test::counted(bytes, alignment);
}
// Catch2 uses these. In the standard library they call the functions above; in a sanitizer's runtime they do not.
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return ddlbench::test::counted_or_null(bytes);
}
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept {
  return ddlbench::test::counted_or_null(bytes);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete[](void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}
