#include "bench/records/spin_variables.h"

#include "bench/records/environment.h"
#include "catch.h"
#include "environment_variable.h"

using namespace ddlbench::bench;
using ddlbench::test::EnvironmentVariable;

TEST_CASE("OpenMP threads spin less on crowded cores, and the environment says so") {
  const EnvironmentVariable count("GOMP_SPINCOUNT", {}), policy("OMP_WAIT_POLICY", {});
  const std::map<std::string, std::string> alone{{"GOMP_SPINCOUNT", "10000"}}, crowded{{"GOMP_SPINCOUNT", "1000"}};
  CHECK(spin_variables(false) == alone);
  CHECK(spin_variables(true) == crowded);
  const nlohmann::json environment = describe_environment();
  CHECK(environment.at("openmp_variables_of_cases") == nlohmann::json(alone));
  CHECK(environment.at("openmp_variables_of_oversubscribed_cases") == nlohmann::json(crowded));
}

TEST_CASE("OpenMP threads spin as the user has set it") {
  const EnvironmentVariable count("GOMP_SPINCOUNT", {}), policy("OMP_WAIT_POLICY", {});
  {
    const EnvironmentVariable said("GOMP_SPINCOUNT", "7");
    CHECK(spin_variables(false).empty());
    CHECK(describe_environment().at("openmp_variables").at("GOMP_SPINCOUNT") == "7");
  }
  const EnvironmentVariable said("OMP_WAIT_POLICY", "passive");
  CHECK(spin_variables(true).empty());
}
