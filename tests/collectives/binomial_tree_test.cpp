#include "catch.h"
#include "executor.h"

using namespace ddlbench;
using namespace ddlbench::collectives;
using namespace ddlbench::test;

TEST_CASE("in a binomial tree, every rank sends a whole tensor to its parent and one to each child") {
  const Algorithm tree = find_algorithm("binomial_tree");
  CHECK(sent_by_each(tree, 2, 7) == Values{7, 7});
  CHECK(sent_by_each(tree, 5, 7) == Values{21, 7, 14, 7, 7});
  CHECK(sent_by_each(tree, 8, 7) == Values{21, 7, 14, 7, 21, 7, 14, 7});
  CHECK(rounds_of(tree, 5) == 6);
  CHECK(rounds_of(tree, 8) == 6);
}
