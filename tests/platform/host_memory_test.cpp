#include "platform/host_memory.h"

#include <cstring>
#include <vector>

#include "catch.h"

using namespace ddlbench::platform;

TEST_CASE("host memory is zeroed, aligned and does not overlap other memory") {
  std::vector<void*> blocks;
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{1} << 21, (std::size_t{5} << 20) + 1}) {
    auto* const memory = static_cast<unsigned char*>(allocate_host(bytes));
    blocks.push_back(memory);
    REQUIRE(memory != nullptr);
    CHECK(reinterpret_cast<std::size_t>(memory) % (bytes < std::size_t{2} << 20 ? 64 : 2 << 20) == 0);
    std::size_t not_zero = 0;
    for (std::size_t i = 0; i < bytes; ++i) not_zero += memory[i] != 0;
    CHECK(not_zero == 0);
    std::memset(memory, 0xff, bytes);
  }
  for (void* const block : blocks) release_host(block);
  release_host(nullptr);
}
