#include "catch.h"
#include "executor.h"

using namespace ddlbench;
using namespace ddlbench::collectives;
using namespace ddlbench::test;

TEST_CASE("recursive doubling sends whole tensors, and ranks beyond a power of two form pairs") {
  const Algorithm doubling = find_algorithm("recursive_doubling");
  CHECK(sent_by_each(doubling, 2, 7) == Values{7, 7});
  CHECK(sent_by_each(doubling, 3, 7) == Values{14, 7, 7});
  CHECK(sent_by_each(doubling, 4, 7) == Values(4, 14));
  CHECK(sent_by_each(doubling, 6, 7) == Values{21, 7, 21, 7, 14, 14});
  CHECK(sent_by_each(doubling, 8, 7) == Values(8, 21));
  CHECK(sent_by_each(doubling, 9, 7) == Values{28, 7, 21, 21, 21, 21, 21, 21, 21});
  CHECK(rounds_of(doubling, 8) == 3);
  CHECK(rounds_of(doubling, 9) == 5);
}
