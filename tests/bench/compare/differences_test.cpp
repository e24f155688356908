#include "bench/compare/differences.h"

#include "catch.h"
#include "run_fixtures.h"

using namespace ddlbench;
using namespace ddlbench::bench;

TEST_CASE("values that differ between two objects are listed by name, also where one lacks them") {
  const auto before = nlohmann::json::parse(R"({"a": 1, "b": {"c": "x", "same": [1, 2]}, "gone": true})");
  const auto after = nlohmann::json::parse(R"({"a": 2, "b": {"c": "x", "same": [1, 2]}, "new": null})");
  CHECK(differences(before, after, '/') == std::vector<Difference>{{"a", "1", "2"}, {"gone", "true", "–"}});
  CHECK(differences(before, before, '/').empty());
  CHECK(differences(nullptr, {{"a", {{"b", 1}}}}, '.') == std::vector<Difference>{{"a.b", "–", "1"}});
}

TEST_CASE("other hosts are a difference of the environment, the ranks on them are none") {
  RunResults before = test::run_of({}), after = test::run_of({});
  before.environment = {{"hosts", {{{"host", "node1"}, {"ranks", {0}}}}}};
  after.environment = {{"hosts", {{{"host", "node1"}, {"ranks", {0, 1}}}, {{"host", "node2"}, {"ranks", {2}}}}}};
  CHECK(environment_differences(before, after) == std::vector<Difference>{{"hosts.1.host", "–", "node2"}});
}

TEST_CASE("the time and the command of a run and the hash of its configuration are no differences of its environment") {
  RunResults before = test::run_of({}), after = test::run_of({});
  before.environment = {
      {"start_time_utc", "1"}, {"config_hash", "1"}, {"command_line", {"a"}}, {"build", {{"git_commit", "one"}}}};
  after.environment = {
      {"start_time_utc", "2"}, {"config_hash", "2"}, {"command_line", {"b"}}, {"build", {{"git_commit", "two"}}}};
  CHECK(environment_differences(before, after) == std::vector<Difference>{{"build.git_commit", "one", "two"}});
}
