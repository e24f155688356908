#include <atomic>
#include <cstdlib>
#include <new>

#include "catch.h"
#include "plans.h"
#include "ranks.h"

namespace {

std::atomic<bool> counting{false};
std::atomic<std::int64_t> allocations{0};

void* counted_or_null(std::size_t bytes) {
  if (counting.load(std::memory_order_relaxed)) allocations.fetch_add(1, std::memory_order_relaxed);
  return std::malloc(bytes == 0 ? 1 : bytes);
}

void* counted(std::size_t bytes) {
  if (void* memory = counted_or_null(bytes)) return memory;
  throw std::bad_alloc();
}

void* counted(std::size_t bytes, std::align_val_t alignment) {
  if (counting.load(std::memory_order_relaxed)) allocations.fetch_add(1, std::memory_order_relaxed);
  const auto align = static_cast<std::size_t>(alignment);
  if (void* memory = std::aligned_alloc(align, (bytes + align - 1) / align * align)) return memory;
  throw std::bad_alloc();
}

}  // namespace

// Every allocation of this binary, in any thread, goes through here.
void* operator new(std::size_t bytes) {
  return counted(bytes);
}
void* operator new[](std::size_t bytes) {
  return counted(bytes);
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return counted(bytes, alignment);
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return counted(bytes, alignment);
}
// Catch2 uses these. The library's call the ones above; a sanitizer's do not.
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return counted_or_null(bytes);
}
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept {
  return counted_or_null(bytes);
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

using namespace ddlbench;
using namespace ddlbench::runtime;
using namespace ddlbench::test;

namespace {

/// Allocations of all ranks, and of whatever moves their bytes, in steps after the first three.
std::int64_t steady_allocations(const program::Plan& plan) {
  allocations = 0;
  run_ranks(plan, [&](Engine& engine, comm::Communicator& world) {
    const std::vector<float> values(batch * features, 0.5F);
    const std::vector<std::int32_t> labels(batch, 1);
    const auto barrier = world.barrier();
    engine.initialize(1);
    const auto step = [&](int number) {
      engine.load(Mode::train, values.data(), labels.data());
      engine.step(Mode::train, scalars_of(number));
    };
    for (int number = 0; number < 3; ++number) step(number);
    comm::run(barrier);
    if (world.rank() == 0) counting = true;
    comm::run(barrier);
    for (int number = 3; number < 20; ++number) step(number);
    comm::run(barrier);
    if (world.rank() == 0) counting = false;
    comm::run(barrier);
  });
  return allocations;
}

}  // namespace

TEST_CASE("the hook sees allocations") {
  allocations = 0;
  counting = true;
  auto value = std::make_unique<std::vector<int>>(100);
  counting = false;
  CHECK(allocations >= 2);
  CHECK(value->size() == 100);
}

TEST_CASE("a steady step allocates nothing") {
  CHECK(steady_allocations(completed(data_parallel_plan(1))) == 0);
  CHECK(steady_allocations(completed(data_parallel_plan(2))) == 0);
  CHECK(steady_allocations(completed(pipeline_plan())) == 0);
}
