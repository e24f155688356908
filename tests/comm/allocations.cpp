// Counts what this test binary allocates: a started operation must not.

#include <atomic>
#include <cstdlib>
#include <new>

#include "catch.h"
#include "support.h"

namespace {
std::atomic<long> allocations{0};

void* counted_or_null(std::size_t bytes) {
  allocations.fetch_add(1);
  return std::malloc(bytes == 0 ? 1 : bytes);
}

void* counted(std::size_t bytes) {
  if (void* memory = counted_or_null(bytes)) return memory;
  throw std::bad_alloc();
}
}  // namespace

void* operator new(std::size_t bytes) {
  return counted(bytes);
}
void* operator new[](std::size_t bytes) {
  return counted(bytes);
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

using namespace ddlbench;
using namespace ddlbench::comm;
using namespace ddlbench::comm::testing;

TEST_CASE("operations in steady state allocate nothing") {
  for (const Transport& transport : transports()) {
    std::atomic<long> during{-1};
    transport.launch(3, {}, [&](Communicator& communicator) {
      const int next = (communicator.rank() + 1) % 3;
      const int previous = (communicator.rank() + 2) % 3;
      const auto bf16 = graph::DType::bf16;
      Elements a(bf16, 50000), c(bf16, 50000), b(bf16, 50000), part(bf16, 50000);
      std::vector<OperationPtr> operations;
      const auto doubling = graph::Algorithm::recursive_doubling;
      operations.push_back(communicator.all_reduce({a.data(), a.data(), 50000, bf16, {}, {}, nullptr, ""}));
      operations.push_back(communicator.all_reduce({c.data(), c.data(), 50000, bf16, {}, doubling, nullptr, ""}));
      operations.push_back(
          communicator.reduce_scatter({b.data(), part.data(), {20000, 1000, 29000}, bf16, {}, nullptr, ""}));
      operations.push_back(communicator.exchange({{b.data(), 10, next}}, {{part.data(40000), 10, previous}}, ""));
      const OperationPtr barrier = communicator.barrier();
      const auto rounds = [&](int count) {
        for (int i = 0; i < count; ++i) {
          for (const OperationPtr& operation : operations) operation->start();
          for (const OperationPtr& operation : operations) operation->wait();
        }
        run(barrier);
      };
      rounds(3);
      if (communicator.rank() == 0) during = -allocations.load();
      rounds(20);
      if (communicator.rank() == 0) during += allocations.load();
      run(barrier);
    });
    CHECK(during == 0);
  }
}
