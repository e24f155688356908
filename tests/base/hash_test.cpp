#include "base/hash.h"

#include "catch.h"

using namespace ddlbench;

TEST_CASE("the hash is FNV-1a") {
  CHECK(hexadecimal(fnv1a("")) == "cbf29ce484222325");
  CHECK(hexadecimal(fnv1a("a")) == "af63dc4c8601ec8c");
  CHECK(hexadecimal(fnv1a("foobar")) == "85944171f73967e8");
}

TEST_CASE("bytes and numbers are written as hexadecimal digits with leading zeros") {
  const unsigned char bytes[]{0x00, 0x0f, 0xa5, 0xff};
  CHECK(hexadecimal(bytes) == "000fa5ff");
  CHECK(hexadecimal(0x1u) == "0000000000000001");
}
