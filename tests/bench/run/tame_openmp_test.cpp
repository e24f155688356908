#include "bench/run/tame_openmp.h"

#include "catch.h"
#include "variable.h"

using ddlbench::bench::tame_openmp;
using ddlbench::test::Variable;

TEST_CASE("OpenMP's threads spin less where cores are crowded, and as a person says where one has said it") {
  const Variable count("GOMP_SPINCOUNT", {}), policy("OMP_WAIT_POLICY", {});
  CHECK(tame_openmp(false) == std::map<std::string, std::string>{{"GOMP_SPINCOUNT", "10000"}});
  CHECK(tame_openmp(true) == std::map<std::string, std::string>{{"GOMP_SPINCOUNT", "1000"}});
  {
    const Variable said("GOMP_SPINCOUNT", "7");
    CHECK(tame_openmp(false).empty());
  }
  const Variable said("OMP_WAIT_POLICY", "passive");
  CHECK(tame_openmp(true).empty());
}
