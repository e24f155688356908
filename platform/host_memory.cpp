#include "platform/host_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <mutex>
#include <new>
#include <unordered_map>

#include "platform/heap.h"

namespace ddlbench::platform {
namespace {

constexpr std::size_t cache_line = 64;
constexpr std::size_t large_page = std::size_t{2} << 20;

struct Block {
  std::size_t bytes = 0;
  HostUse use = HostUse::heap;
  bool is_large() const { return bytes >= large_page; }
  /// Whether the block is mapped. Under a sanitizer it is not: the sanitizer checks the bounds of its own allocations.
  bool is_mapped() const { return is_large() && heap_is_counted(); }
};

/// All allocated blocks of the process.
class Blocks {
 public:
  void add(void* memory, Block block) {
    const std::lock_guard lock(mutex_);
    blocks_.emplace(memory, block);
    count(block, 1);
  }
  Block remove(void* memory) {
    const std::lock_guard lock(mutex_);
    const Block block = blocks_.at(memory);
    blocks_.erase(memory);
    count(block, -1);
    return block;
  }
  std::int64_t device_bytes() {
    const std::lock_guard lock(mutex_);
    return device_bytes_;
  }

 private:
  void count(const Block& block, std::int64_t sign) {
    const std::int64_t bytes = sign * static_cast<std::int64_t>(block.bytes);
    if (block.use == HostUse::heap) count_heap(bytes);
    if (block.use == HostUse::device) device_bytes_ += bytes;
  }
  std::mutex mutex_;
  std::unordered_map<void*, Block> blocks_;
  std::int64_t device_bytes_ = 0;
};

/// Never destroyed, because other static objects may release memory during exit.
Blocks& blocks() {
  static Blocks& all = *new Blocks;
  return all;
}

std::size_t rounded_up(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

std::size_t page() {
  static const auto bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return bytes;
}

/// Maps whole pages, starting at a multiple of `large_page`. Returns nullptr if there is no memory.
void* map(std::size_t bytes) {
  const std::size_t wanted = rounded_up(bytes, page());
  void* const mapped = ::mmap(nullptr, wanted + large_page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  auto* const begin = static_cast<std::byte*>(mapped);
  const std::size_t skipped =
      rounded_up(reinterpret_cast<std::size_t>(begin), large_page) - reinterpret_cast<std::size_t>(begin);
  if (skipped > 0) ::munmap(begin, skipped);
  std::byte* const memory = begin + skipped;
  ::munmap(memory + wanted, large_page - skipped);
  ::madvise(memory, wanted / large_page * large_page, MADV_HUGEPAGE);
  for (std::size_t offset = 0; offset < wanted; offset += page())
    *static_cast<volatile std::byte*>(memory + offset) = {};
  return memory;
}

void* take(const Block& block) {
  if (block.is_mapped()) return map(block.bytes);
  void* const memory =
      allocate_uncounted(block.is_large() ? large_page : cache_line, std::max(block.bytes, cache_line));
  if (memory != nullptr) std::memset(memory, 0, block.bytes);
  return memory;
}

}  // namespace

void* allocate_host(std::size_t bytes, HostUse use) {
  if (bytes > std::numeric_limits<std::size_t>::max() - 2 * large_page) throw std::bad_alloc();
  const Block block{bytes, use};
  void* const memory = take(block);
  if (memory == nullptr) throw std::bad_alloc();
  blocks().add(memory, block);
  return memory;
}

std::size_t release_host(void* memory) noexcept {
  if (memory == nullptr) return 0;
  const Block block = blocks().remove(memory);
  if (block.is_mapped()) {
    ::munmap(memory, rounded_up(block.bytes, page()));
  } else {
    release_uncounted(memory);
  }
  return block.bytes;
}

std::int64_t host_device_bytes() {
  return blocks().device_bytes();
}

}  // namespace ddlbench::platform
