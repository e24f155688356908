#include "kernels/host_memory.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>

namespace ddlbench::kernels {
namespace {

constexpr std::size_t cache_line = 64;
constexpr std::size_t large_page = std::size_t{2} << 20;

}  // namespace

void* allocate_host(std::size_t bytes) {
  const std::size_t alignment = bytes >= large_page ? large_page : cache_line;
  if (bytes > std::numeric_limits<std::size_t>::max() - alignment) throw std::bad_alloc();
  const std::size_t rounded = std::max((bytes + alignment - 1) / alignment, std::size_t{1}) * alignment;
  void* memory = std::aligned_alloc(alignment, rounded);
  if (memory == nullptr) throw std::bad_alloc();
  std::memset(memory, 0, rounded);
  return memory;
}

void release_host(void* memory) noexcept {
  std::free(memory);
}

}  // namespace ddlbench::kernels
