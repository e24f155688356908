#include <new>

#include "catch.h"
#include "gpu.h"
#include "kernels/cuda/check.h"
#include "kernels/cuda/memory.h"

using namespace ddlbench;
using kernels::cuda::Memory;

TEST_CASE("device memory is 256-byte aligned, and allocated bytes are counted") {
  Memory memory(0);
  void* first = memory.allocate(1);
  void* second = memory.allocate(1000);
  void* none = memory.allocate(0);
  for (const void* block : {first, second, none}) {
    REQUIRE(block != nullptr);
    CHECK(reinterpret_cast<std::uintptr_t>(block) % 256 == 0);
  }
  CHECK(memory.allocated_bytes() == 1001);
  memory.release(first);
  memory.release(nullptr);
  CHECK(memory.allocated_bytes() == 1000);
  memory.release(second);
  memory.release(none);
  CHECK(memory.allocated_bytes() == 0);
}

TEST_CASE("a failed allocation reports the available memory, and the device stays usable") {
  const auto device = test::gpu();
  CHECK_THROWS_AS(device->allocate(std::size_t{1} << 50), std::bad_alloc);
  Memory memory(0);
  std::string error;
  try {
    memory.allocate(std::size_t{1} << 50);
  } catch (const kernels::cuda::OutOfMemory& out) {
    error = out.what();
  }
  CHECK(error.find("1048576.00 GiB were requested") != std::string::npos);
  CHECK(error.find("GPU 0 has ") == 0);
  const test::OnDevice small(*device, 1000);
}

TEST_CASE("the available memory of a GPU does not depend on other allocations of the process") {
  bool is_equal = false;
  for (int attempt = 0; !is_equal && attempt < 10; ++attempt) {  // other processes may allocate at the same time
    Memory first(0);
    first.allocate(std::size_t{1} << 30);
    const Memory other(0);
    is_equal = std::abs(other.available_bytes() - first.available_bytes()) < std::int64_t{256} << 20;
  }
  CHECK(is_equal);
}

TEST_CASE("an error is reported once and not again by the next launch") {
  const cudaError_t code = cudaSetDevice(-7);
  REQUIRE(code != cudaSuccess);
  CHECK_THROWS_AS(kernels::cuda::check(code, "taking a GPU"), kernels::cuda::DeviceError);
  CHECK_NOTHROW(kernels::cuda::check_launch("the next one"));
}
