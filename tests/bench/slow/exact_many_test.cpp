#include "../case/exact_draws.h"
#include "catch.h"

using namespace ddlbench;

TEST_CASE("two hundred random trainings agree with one rank") {
  int ran = 0;
  std::string differences;
  for (std::uint64_t seed = 101; seed <= 300; ++seed) differences += test::difference_from_one_rank(seed, ran);
  CHECK(differences == "");
  CHECK(ran >= 150);
}
