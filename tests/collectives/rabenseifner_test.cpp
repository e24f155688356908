#include "catch.h"
#include "executor.h"

using namespace ddlbench;
using namespace ddlbench::collectives;
using namespace ddlbench::test;

TEST_CASE("Rabenseifner's all-reduce sends successive halves, once to reduce and once to gather") {
  const Algorithm rabenseifner = find_algorithm("rabenseifner");
  // Rank 0 of 4 sends 5 of 10 elements, then 2 of 5; when gathering, it sends its 3, then 5.
  CHECK(sent_by_each(rabenseifner, 4, 10) == Values{5 + 2 + 3 + 5, 5 + 3 + 2 + 5, 5 + 2 + 3 + 5, 5 + 3 + 2 + 5});
  CHECK(sent_by_each(rabenseifner, 8, 16) == Values(8, 2 * (8 + 4 + 2)));
  CHECK(sent_by_each(rabenseifner, 2, 1) == Values{1, 1});
  // Rank 1 of 3 reduces one half and sends it to rank 0, which exchanges with rank 2 and sends the whole to rank 1.
  CHECK(sent_by_each(rabenseifner, 3, 10) == Values{5 + 5 + 5 + 10, 5 + 5, 5 + 5});
  CHECK(rounds_of(rabenseifner, 8) == 6);
  CHECK(rounds_of(rabenseifner, 9) == 9);
}
