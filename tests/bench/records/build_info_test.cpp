#include "bench/records/build_info.h"

#include "catch.h"

using namespace ddlbench::bench;

TEST_CASE("a version names its commit, and says so where there is none") {
  BuildInfo info{"1.2.3", "0123456789abcdef0123456789abcdef01234567", false, "", "", "", "", ""};
  CHECK(describe(info) == "1.2.3 (commit 0123456789ab)");
  info.git_dirty = true;
  CHECK(describe(info) == "1.2.3 (commit 0123456789ab, with changes)");
  info.git_commit = "";
  CHECK(describe(info) == "1.2.3 (commit unknown: built outside a git repository)");
}
