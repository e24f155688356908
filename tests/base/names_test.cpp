#include "base/names.h"

#include "catch.h"

using namespace ddlbench;

TEST_CASE("a suggestion may continue the word") {
  CHECK(nearest("trust", {"momentum", "trust_coefficient"}) == "trust_coefficient");
  CHECK(nearest("trust", {"trustworthy", "momentum"}) == "");
}

TEST_CASE("a suggestion is found for a typing error but not for an unrelated word") {
  CHECK(nearest("gpip", {"ddp", "gpipe"}) == "gpipe");
  CHECK(nearest("dpd", {"ddp", "gpipe"}) == "ddp");
  CHECK(nearest("banana", {"ddp", "gpipe"}) == "");
}
