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

TEST_CASE("a suggestion for long words, and among them, takes no time and memory", "[F13]") {
  const std::string megabytes(std::size_t{1} << 24, 'x');
  CHECK(nearest("gpip", {megabytes, "gpipe"}) == "gpipe");
  CHECK(nearest(megabytes, {megabytes, "gpipe"}) == "");
  CHECK(nearest(std::string(64, 'x'), {std::string(65, 'x')}) == std::string(65, 'x'));
  CHECK(nearest(std::string(65, 'x'), {std::string(64, 'x')}) == "");
}
