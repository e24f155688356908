#include "kernels/host_device.h"

#include "catch.h"
#include "kernels/device.h"
#include "platform/heap.h"
#include "platform/host_memory.h"

using namespace ddlbench;
using namespace ddlbench::platform;

TEST_CASE("device memory is not on the heap, other host memory is") {
  const auto device = kernels::make_device("cpu", {});
  for (const std::size_t bytes : {std::size_t{100}, std::size_t{300} << 10, (std::size_t{6} << 20) + 10}) {
    const auto wanted = static_cast<std::int64_t>(bytes);
    const std::int64_t heap = heap_bytes(), devices = host_device_bytes();
    const auto heap_grew_by = [heap](std::int64_t expected) {
      constexpr std::int64_t slack = 16 << 10;  // for the allocator and other threads of the process
      const std::int64_t found = heap_bytes() - heap;
      return !heap_is_counted() || (found >= expected && found <= expected + slack);
    };
    void* const memory = device->allocate(bytes);
    CHECK(device->allocated_bytes() == wanted);
    CHECK(host_device_bytes() - devices == wanted);
    CHECK(heap_grew_by(0));
    device->release(memory);
    CHECK(device->allocated_bytes() == 0);
    CHECK(host_device_bytes() == devices);

    void* const pinned = device->allocate_host(bytes);
    CHECK(device->allocated_bytes() == 0);
    CHECK(heap_grew_by(wanted));
    device->release_host(pinned);
    CHECK(heap_grew_by(0));
  }
}
