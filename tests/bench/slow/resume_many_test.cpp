#include "../case/resumed_runs.h"
#include "catch.h"

using namespace ddlbench;

namespace {

/// Cuts each strategy on these numbers of ranks at random steps.
void cut(int least, int most, std::uint64_t first_seed, int cuts = 20) {
  std::int64_t redone = 0;
  CHECK(test::differences_after_crashes(least, most, first_seed, cuts, redone) == "");
  CHECK(redone >= 2);  // cuts do lose steps; where more are lost than a save allows, the text says so
}

}  // namespace

TEST_CASE("every strategy on one rank, cut at random steps and resumed, ends as if uninterrupted, to the bit") {
  cut(1, 1, 1001);
}
TEST_CASE("every strategy on two ranks, cut at random steps and resumed, ends as if uninterrupted, to the bit") {
  cut(2, 2, 1101);
}
TEST_CASE("every strategy on three ranks, cut at random steps and resumed, ends as if uninterrupted, to the bit") {
  cut(3, 3, 1201);
}
TEST_CASE("every strategy on four or more ranks, cut and resumed, ends as if uninterrupted, first five steps") {
  cut(4, 8, 1301, 5);
}
TEST_CASE("every strategy on four or more ranks, cut and resumed, ends as if uninterrupted, second five steps") {
  cut(4, 8, 1401, 5);
}
TEST_CASE("every strategy on four or more ranks, cut and resumed, ends as if uninterrupted, third five steps") {
  cut(4, 8, 1501, 5);
}
TEST_CASE("every strategy on four or more ranks, cut and resumed, ends as if uninterrupted, fourth five steps") {
  cut(4, 8, 1601, 5);
}
