#include "platform/heap.h"

#include <malloc.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "catch.h"
#include "skip.h"

using namespace ddlbench::platform;

namespace {

constexpr std::int64_t megabyte = 1 << 20;
constexpr const char* not_counted = "the heap is not counted here: sanitizers have an allocator of their own";
/// What the allocator may add to a block, and what other threads of the process may allocate meanwhile.
constexpr std::int64_t slack = 16 << 10;

bool about(std::int64_t found, std::int64_t wanted) {
  return found >= wanted && found <= wanted + slack;
}

/// A function that allocates memory to be released by `free`.
struct Allocator {
  std::string name;
  void* (*take)(std::size_t bytes);
};

const std::vector<Allocator>& allocators() {
  static const std::vector<Allocator> all{
      {"malloc", [](std::size_t bytes) { return std::malloc(bytes); }},
      {"calloc", [](std::size_t bytes) { return std::calloc(bytes / 4, 4); }},
      {"realloc of nothing", [](std::size_t bytes) { return std::realloc(nullptr, bytes); }},
      {"realloc of less", [](std::size_t bytes) { return std::realloc(std::malloc(100), bytes); }},
      {"realloc of more", [](std::size_t bytes) { return std::realloc(std::malloc(5 * bytes), bytes); }},
      {"aligned_alloc", [](std::size_t bytes) { return std::aligned_alloc(64, bytes); }},
      {"memalign", [](std::size_t bytes) { return ::memalign(4096, bytes); }},
      {"posix_memalign",
       [](std::size_t bytes) {
         void* memory = nullptr;
         return ::posix_memalign(&memory, 256, bytes) == 0 ? memory : nullptr;
       }},
      {"strdup", [](std::size_t bytes) -> void* { return ::strdup(std::string(bytes - 1, 'x').c_str()); }},
  };
  return all;
}

}  // namespace

TEST_CASE("the heap counts live allocations of every allocation function") {
  if (!heap_is_counted()) return ddlbench::test::skip(not_counted);
  for (const Allocator& allocator : allocators()) {
    for (const std::size_t bytes : {std::size_t{32} << 10, std::size_t{1} << 20, std::size_t{48} << 20}) {
      INFO(allocator.name << " of " << bytes);
      const std::int64_t before = heap_bytes();
      void* const memory = allocator.take(bytes);
      REQUIRE(memory != nullptr);
      const std::int64_t with = heap_bytes() - before;
      std::free(memory);
      const std::int64_t after = heap_bytes() - before;
      CHECK(about(with, static_cast<std::int64_t>(bytes)));
      CHECK(about(after, 0));
    }
  }
}

TEST_CASE("the heap counts the allocations of other threads") {
  if (!heap_is_counted()) return ddlbench::test::skip(not_counted);
  const std::int64_t before = heap_bytes();
  std::unique_ptr<std::byte[]> leaked;
  std::thread([&leaked] { leaked = std::make_unique<std::byte[]>(8 * megabyte); }).join();
  CHECK(about(heap_bytes() - before, 8 * megabyte));
  leaked.reset();
  CHECK(about(heap_bytes() - before, 0));
}

TEST_CASE("the heap's peak is its largest simultaneous use and can be reset") {
  if (!heap_is_counted()) return ddlbench::test::skip(not_counted);
  const std::int64_t before = heap_bytes();
  reset_heap_peak();
  for (int i = 0; i < 4; ++i) std::free(allocators().front().take(4 * megabyte));
  CHECK(about(heap_peak_bytes() - before, 4 * megabyte));
  reset_heap_peak();
  CHECK(heap_peak_bytes() - before < slack);
}
