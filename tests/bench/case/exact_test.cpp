#include "catch.h"
#include "exact_draws.h"

using namespace ddlbench;

TEST_CASE("norms, dropout, clipping, layer-wise rates and recomputation keep every strategy exact") {
  int ran = 0;
  std::string differences;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) differences += test::difference_from_one_rank(seed, ran);
  // These seeds have in-place sums over ranks in front of a segment boundary of the recomputation.
  for (const std::uint64_t seed : {122, 235}) differences += test::difference_from_one_rank(seed, ran);
  CHECK(differences == "");
  CHECK(ran >= 15);
}

TEST_CASE("fused linear cross-entropy keeps every strategy exact") {
  int ran = 0;
  std::string differences;
  for (std::uint64_t seed = 1; seed <= 24; ++seed) differences += test::difference_of_fused_head(seed, ran);
  CHECK(differences == "");
  CHECK(ran >= 8);
}

TEST_CASE("byte inputs do not change a training by a bit") {
  int ran = 0;
  std::string differences;
  for (std::uint64_t seed = 1; seed <= 120; ++seed) differences += test::difference_of_byte_inputs(seed, ran);
  CHECK(differences == "");
  CHECK(ran >= 20);
}

TEST_CASE("updates in backward do not change a training by a bit") {
  int ran = 0;
  std::string differences;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) differences += test::difference_of_updates_in_backward(seed, ran);
  CHECK(differences == "");
  CHECK(ran >= 10);
}
