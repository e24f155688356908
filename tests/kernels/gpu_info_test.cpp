#include "kernels/gpu_info.h"

#include "catch.h"
#include "kernels/device.h"

using namespace ddlbench;

TEST_CASE("the description of GPUs matches the device kind's count, in any build") {
  const auto info = kernels::describe_cuda();
  const auto& kind = kernels::device_kinds().back();
  REQUIRE(kind.name == "cuda");
  const auto count = kind.count();
  CHECK(info.why_unusable == count.why_none);
  CHECK(static_cast<int>(info.gpus.size()) == count.devices);
  for (std::size_t i = 0; i < info.gpus.size(); ++i) {
    const auto& gpu = info.gpus[i];
    CHECK_FALSE(gpu.name.empty());
    CHECK(gpu.uuid.size() == 40);
    CHECK(gpu.memory_bytes > 0);
    CHECK(gpu.l2_cache_bytes > 0);
    CHECK(gpu.multiprocessors > 0);
    CHECK(gpu.compute_capability >= 75);
    REQUIRE(gpu.peer_access.size() == info.gpus.size());
    CHECK(gpu.peer_access[i]);
  }
}
