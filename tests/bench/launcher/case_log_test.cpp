#include "bench/launcher/case_log.h"

#include <sstream>

#include "catch.h"

using namespace ddlbench::bench;

TEST_CASE("a full log says so once and does not grow any more", "[F3]") {
  std::ostringstream out;
  CaseLog log(out, 10);
  log.add("12345");
  log.add("123");
  CHECK(out.str() == "12345\n123\n");
  for (int i = 0; i < 3; ++i) log.add("");
  CHECK(out.str() == "12345\n123\nddlbench: the rest is dropped: a case's log is limited to 10 bytes\n");
}
