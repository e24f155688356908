#include "base/names.h"

#include "catch.h"

using namespace ddlbench;

TEST_CASE("slips of the pen are recognised, other words are not") {
  CHECK(nearest("gpip", {"ddp", "gpipe"}) == "gpipe");
  CHECK(nearest("dpd", {"ddp", "gpipe"}) == "ddp");
  CHECK(nearest("banana", {"ddp", "gpipe"}) == "");
}
