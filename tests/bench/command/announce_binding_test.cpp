#include <sstream>

#include "bench/command/cases.h"
#include "catch.h"
#include "environment_variable.h"

using namespace ddlbench;
using namespace ddlbench::bench;

TEST_CASE("that ranks are not bound to cores is announced") {
  const auto announced = [](const char* binding) {
    const test::EnvironmentVariable variable("OMP_PROC_BIND", binding);
    std::ostringstream notes;
    announce_binding(notes);
    return notes.str();
  };
  CHECK(announced("false") ==
        "ddlbench: OMP_PROC_BIND is false: ranks are not bound to cores, so times may vary more\n");
  CHECK(announced("true").empty());
}
