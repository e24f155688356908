#include "base/names.h"

#include "catch.h"

using namespace ddlbench;

TEST_CASE("a suggestion is found for a typing error but not for an unrelated word") {
  CHECK(nearest("gpip", {"ddp", "gpipe"}) == "gpipe");
  CHECK(nearest("dpd", {"ddp", "gpipe"}) == "ddp");
  CHECK(nearest("banana", {"ddp", "gpipe"}) == "");
}
