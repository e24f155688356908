#include "strategies/passes/buckets.h"

#include "catch.h"

using namespace ddlbench::strategies;

TEST_CASE("buckets are filled from the last gradient to the first, and the first bucket is small") {
  const std::vector<std::string> data{"data"};
  const std::vector<GradientRange> ranges{{0, 100, data}, {100, 200, data}, {200, 300, data}, {300, 310, data}};
  const std::vector<Bucket> buckets = make_buckets(ranges, {50, 150}, 1);
  REQUIRE(buckets.size() == 2);
  CHECK(buckets[0].begin == 200);
  CHECK(buckets[0].end == 310);
  CHECK(buckets[0].members == std::vector<std::size_t>{3, 2});
  CHECK(buckets[1].begin == 0);
  CHECK(buckets[1].end == 200);
}

TEST_CASE("a bucket ends where the axes change, and gradients that need no reduction share a bucket") {
  const std::vector<GradientRange> ranges{
      {0, 100, {}}, {100, 200, {}}, {200, 300, {"data"}}, {300, 400, {"data", "tensor"}}};
  const std::vector<Bucket> buckets = make_buckets(ranges, {1000, 1}, 1);
  REQUIRE(buckets.size() == 3);
  CHECK(buckets[0].begin == 300);
  CHECK(buckets[1].begin == 200);
  CHECK(buckets[2].begin == 0);
  CHECK(buckets[2].end == 200);
}

TEST_CASE("a bucket never exceeds a buffer, unless it is one gradient") {
  const std::vector<std::string> data{"data"};
  const std::vector<GradientRange> ranges{{0, 60, data}, {60, 90, data}, {90, 290, data}, {290, 310, data}};
  const std::vector<Bucket> buckets = make_buckets(ranges, {100, 100, false, true}, 1);
  REQUIRE(buckets.size() == 3);
  CHECK(buckets[0].begin == 290);
  CHECK(buckets[1].begin == 90);
  CHECK(buckets[2].begin == 0);
}

TEST_CASE("limit_all limits buckets that need no reduction") {
  const std::vector<GradientRange> ranges{{0, 100, {}}, {100, 200, {}}, {200, 300, {}}, {300, 310, {}}};
  const std::vector<Bucket> buckets = make_buckets(ranges, {50, 150, true}, 1);
  REQUIRE(buckets.size() == 2);
  CHECK(buckets[0].begin == 200);
  CHECK(buckets[1].begin == 0);
}

TEST_CASE("a tied parameter has its own bucket, and the first of the other buckets is small") {
  const std::vector<std::string> data{"data"};
  const std::vector<GradientRange> ranges{
      {0, 100, data}, {100, 200, data}, {200, 300, data}, {300, 400, data, {0, {0, 1}, 0}}};
  const std::vector<Bucket> buckets = make_buckets(ranges, {50, 150}, 1);
  REQUIRE(buckets.size() == 3);
  CHECK(buckets[0].tied());
  CHECK(buckets[0].begin == 300);
  CHECK(buckets[1].begin == 200);
  CHECK(buckets[2].begin == 0);
}

TEST_CASE("tied parameters of one group share a bucket of any size") {
  const Tie first{0, {0, 1}, 0}, other{3, {0, 1}, 3};
  const std::vector<GradientRange> ranges{
      {0, 100, {}, first}, {100, 200, {}, first}, {200, 300, {}, other}, {300, 400, {}}};
  const std::vector<Bucket> buckets = make_buckets(ranges, {50, 50, true}, 1);
  REQUIRE(buckets.size() == 3);
  CHECK(!buckets[0].tied());
  CHECK(buckets[1].members == std::vector<std::size_t>{2});
  CHECK(buckets[2].members == std::vector<std::size_t>{1, 0});
}

TEST_CASE("gradients of different units never share a bucket") {
  const std::vector<std::string> data{"data"};
  const std::vector<Bucket> buckets = make_buckets({{0, 100, data, {}, 1}, {100, 200, data, {}, 2}}, {1000, 1000}, 1);
  REQUIRE(buckets.size() == 2);
  CHECK(buckets[0].unit == 2);
}
