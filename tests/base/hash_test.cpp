#include "base/hash.h"

#include "catch.h"

using namespace ddlbench;

TEST_CASE("the hash is FNV-1a") {
  CHECK(hexadecimal(fnv1a("")) == "cbf29ce484222325");
  CHECK(hexadecimal(fnv1a("a")) == "af63dc4c8601ec8c");
  CHECK(hexadecimal(fnv1a("foobar")) == "85944171f73967e8");
}
