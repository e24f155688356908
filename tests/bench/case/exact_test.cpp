#include "catch.h"
#include "exact_draws.h"

using namespace ddlbench;

TEST_CASE("norms, dropout, clipping, layer rates and recomputation keep every strategy exact") {
  int ran = 0;
  std::string differences;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) differences += test::difference_from_one_rank(seed, ran);
  // Sums over ranks that are made in place, in front of a cut of the recomputation.
  for (const std::uint64_t seed : {122, 235}) differences += test::difference_from_one_rank(seed, ran);
  CHECK(differences == "");
  CHECK(ran >= 15);
}

TEST_CASE("a head that makes its gradients with its loss keeps every strategy exact") {
  int ran = 0;
  std::string differences;
  for (std::uint64_t seed = 1; seed <= 24; ++seed) differences += test::difference_of_fused_head(seed, ran);
  CHECK(differences == "");
  CHECK(ran >= 8);
}

TEST_CASE("inputs of bytes change no bit of a training") {
  int ran = 0;
  std::string differences;
  for (std::uint64_t seed = 1; seed <= 120; ++seed) differences += test::difference_of_byte_inputs(seed, ran);
  CHECK(differences == "");
  CHECK(ran >= 20);
}

TEST_CASE("updates in backward change no bit of a training") {
  int ran = 0;
  std::string differences;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) differences += test::difference_of_updates_in_backward(seed, ran);
  CHECK(differences == "");
  CHECK(ran >= 10);
}
