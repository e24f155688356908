#include "bench/micro/beyond_cache.h"

#include "catch.h"

using namespace ddlbench;

TEST_CASE("the operands that measure memory bandwidth are several times larger than the last-level cache") {
  constexpr std::int64_t mib = 1 << 20;
  for (const std::int64_t cache : {40 * mib, 50 * mib, 60 * mib, 126 * mib, 512 * mib}) {
    for (const std::int64_t bytes : {mib, 64 * mib, 192 * mib}) {
      CAPTURE(cache, bytes);
      const std::int64_t growth = micro::growth_beyond(cache, bytes);
      CHECK(growth * bytes >= 4 * cache);
      CHECK((growth == 1 || growth / 2 * bytes < 4 * cache));
    }
  }
  CHECK(micro::growth_beyond(60 * mib, 64 * mib) == 4);  // an H200's L2
  CHECK(micro::growth_beyond(0, 64 * mib) == 1);
}

TEST_CASE("the cache size of processors is reported, or 0") {
  const auto device = kernels::make_device("reference", {});
  CHECK(micro::cache_bytes(*device) >= 0);
}
