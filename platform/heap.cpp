#include "platform/heap.h"

#include <malloc.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define DDLBENCH_OTHER_MALLOC
#endif
#endif
#if !defined(__GLIBC__) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define DDLBENCH_OTHER_MALLOC
#endif

namespace ddlbench::platform {
namespace {

constinit std::atomic<std::int64_t> current{0};
constinit std::atomic<std::int64_t> peak{0};

void add(std::int64_t bytes) {
  const std::int64_t now = current.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  std::int64_t most = peak.load(std::memory_order_relaxed);
  while (now > most && !peak.compare_exchange_weak(most, now, std::memory_order_relaxed)) {
  }
}

}  // namespace

std::int64_t heap_bytes() {
  return current.load(std::memory_order_relaxed);
}

std::int64_t heap_peak_bytes() {
  return peak.load(std::memory_order_relaxed);
}

void reset_heap_peak() {
  peak.store(heap_bytes(), std::memory_order_relaxed);
}

void count_heap(std::int64_t bytes) {
  add(bytes);
}

}  // namespace ddlbench::platform

#ifdef DDLBENCH_OTHER_MALLOC

namespace ddlbench::platform {

bool heap_is_counted() {
  return false;
}

void* allocate_uncounted(std::size_t alignment, std::size_t bytes) {
  return std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

void release_uncounted(void* memory) noexcept {
  std::free(memory);
}

}  // namespace ddlbench::platform

#else

extern "C" {
// glibc's own functions, which stay available when a program replaces malloc.
void* __libc_malloc(std::size_t) noexcept;
void* __libc_calloc(std::size_t, std::size_t) noexcept;
void* __libc_realloc(void*, std::size_t) noexcept;
void* __libc_memalign(std::size_t, std::size_t) noexcept;
void __libc_free(void*) noexcept;
}

namespace ddlbench::platform {
namespace {

std::size_t page_bytes() {
  return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

std::int64_t size_of(void* memory) {
  return static_cast<std::int64_t>(::malloc_usable_size(memory));
}

void* counted(void* memory) {
  add(size_of(memory));
  return memory;
}

}  // namespace

bool heap_is_counted() {
  return true;
}

void* allocate_uncounted(std::size_t alignment, std::size_t bytes) {
  return __libc_memalign(alignment, bytes);
}

void release_uncounted(void* memory) noexcept {
  __libc_free(memory);
}

}  // namespace ddlbench::platform

// glibc's manual ("Replacing malloc") lists the functions that must be replaced together.
extern "C" {

void* malloc(std::size_t bytes) noexcept {
  return ddlbench::platform::counted(__libc_malloc(bytes));
}

void* calloc(std::size_t count, std::size_t bytes) noexcept {
  return ddlbench::platform::counted(__libc_calloc(count, bytes));
}

void* realloc(void* memory, std::size_t bytes) noexcept {
  const std::int64_t before = ddlbench::platform::size_of(memory);
  void* const moved = __libc_realloc(memory, bytes);
  if (moved != nullptr || bytes == 0) ddlbench::platform::add(ddlbench::platform::size_of(moved) - before);
  return moved;
}

void free(void* memory) noexcept {
  if (memory == nullptr) return;
  ddlbench::platform::add(-ddlbench::platform::size_of(memory));
  __libc_free(memory);
}

void* memalign(std::size_t alignment, std::size_t bytes) noexcept {
  return ddlbench::platform::counted(__libc_memalign(alignment, bytes));
}

void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
  return memalign(alignment, bytes);
}

int posix_memalign(void** memory, std::size_t alignment, std::size_t bytes) noexcept {
  if (alignment % sizeof(void*) != 0 || alignment == 0 || (alignment & (alignment - 1)) != 0) return EINVAL;
  const int before = errno;
  void* const found = memalign(alignment, bytes);
  errno = before;
  if (found == nullptr) return ENOMEM;
  *memory = found;
  return 0;
}

void* valloc(std::size_t bytes) noexcept {
  return memalign(ddlbench::platform::page_bytes(), bytes);
}

void* pvalloc(std::size_t bytes) noexcept {
  const std::size_t page = ddlbench::platform::page_bytes();
  if (bytes > SIZE_MAX - page) {
    errno = ENOMEM;
    return nullptr;
  }
  return memalign(page, (bytes + page - 1) / page * page);
}
}

#endif
