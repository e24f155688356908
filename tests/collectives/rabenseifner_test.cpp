#include "catch.h"
#include "executor.h"

using namespace ddlbench;
using namespace ddlbench::collectives;
using namespace ddlbench::test;

TEST_CASE("Rabenseifner's all-reduce sends halves of halves twice") {
  const Algorithm rabenseifner = find_algorithm("rabenseifner");
  // Rank 0 of 4 gives 5 of 10 away, then 2 of 5; it gathers 2 for its 3, then 5
  // for its 5.
  CHECK(sent_by_each(rabenseifner, 4, 10) == Values{5 + 2 + 3 + 5, 5 + 3 + 2 + 5, 5 + 2 + 3 + 5, 5 + 3 + 2 + 5});
  CHECK(sent_by_each(rabenseifner, 8, 16) == Values(8, 2 * (8 + 4 + 2)));
  CHECK(sent_by_each(rabenseifner, 2, 1) == Values{1, 1});
  // Rank 1 of 3 reduces and hands over a half; rank 0 gets it, exchanges with
  // rank 2, and sends the whole to rank 1.
  CHECK(sent_by_each(rabenseifner, 3, 10) == Values{5 + 5 + 5 + 10, 5 + 5, 5 + 5});
  CHECK(rounds_of(rabenseifner, 8) == 6);
  CHECK(rounds_of(rabenseifner, 9) == 9);
}
