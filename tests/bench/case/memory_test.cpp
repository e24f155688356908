#include "bench/case/memory.h"

#include "catch.h"
#include "contains.h"

using namespace ddlbench::bench;
using ddlbench::test::contains;

TEST_CASE("a plan that does not fit names the rank and both numbers") {
  const std::vector<std::int64_t> peaks{100, 2'000'000, 300};
  MemoryLimits limits{1'000'000, 5'000'000};
  const std::string too_large = why_too_large(peaks, {0, 1, 2}, limits);
  CHECK(
      contains(too_large,
               "rank 1 needs 1.91 MiB (2000000 bytes), more than the 977 KiB (1000000 bytes) of devices/memory_bytes"));
  CHECK(contains(too_large, "use more ranks"));
  limits.rank_bytes = 2'000'000;
  CHECK(why_too_large(peaks, {0, 1, 2}, limits).empty());
  limits.machine_bytes = 2'000'399;
  CHECK(contains(
      why_too_large(peaks, {0, 1, 2}, limits),
      "the 3 ranks here need 1.91 MiB (2000400 bytes) together, rank 1 the most with 1.91 MiB (2000000 bytes), "
      "more than the 1.91 MiB (2000399 bytes) of this machine"));
  CHECK(why_too_large(peaks, {0, 2}, limits).empty());
  limits.machine_bytes = 0;
  CHECK(why_too_large(peaks, {0, 1, 2}, limits).empty());
}

TEST_CASE("ranks that share a device are compared with its memory together") {
  const MemoryLimits limits{{}, 250, "A (GPU-1)"};
  CHECK(why_too_large({100, 300, 100}, {0, 2}, limits).empty());
  CHECK(contains(why_too_large({200, 0, 100}, {0, 2}, limits), "the 2 ranks here need 300 B (300 bytes) together"));
  CHECK(contains(why_too_large({200, 0, 100}, {0, 2}, limits),
                 "more than the 250 B (250 bytes) of A (GPU-1); use more ranks"));
}

TEST_CASE("this machine reports memory") {
  CHECK(memory_limits({}).machine_bytes > 1 << 20);
  CHECK_FALSE(memory_limits({}).rank_bytes.has_value());
}
