#include "bench/case/cost_cache.h"

#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "catch.h"
#include "temporary_folder.h"

using namespace ddlbench;
using namespace ddlbench::bench;

TEST_CASE("a profile keeps times by key and context, and newer ones replace older ones") {
  const test::TemporaryFolder temporary;
  const std::string folder = temporary / "deep";
  CHECK(load_profile(folder, "here").all().empty());
  program::CostTable first, second;
  first.insert("a", {1.5, 64});
  first.insert("unknown", {std::nullopt, 64});
  first.insert("b", {2.0, 0});
  second.insert("b", {3.0, 0});
  store_profile(folder, "here", first);
  store_profile(folder, "here", second);
  const program::CostTable kept = load_profile(folder, "here");
  CHECK(kept.all().size() == 2);
  CHECK(*kept.find("a")->seconds == 1.5);
  CHECK(*kept.find("b")->seconds == 3.0);
  CHECK(load_profile(folder, "there").all().empty());
}

TEST_CASE("without a cache folder no profile is stored") {
  program::CostTable costs;
  costs.insert("a", {1.0, 0});
  CHECK_NOTHROW(store_profile("", "here", costs));
  CHECK(load_profile("", "here").all().empty());
}

TEST_CASE("an unreadable profile is ignored, and replaced by the next one") {
  const test::TemporaryFolder folder;
  program::CostTable one;
  one.insert("one", {1.0, 0});
  store_profile(folder.path(), "here", one);
  std::string file;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    if (entry.path().extension() == ".json") file = entry.path().string();
  }
  std::ofstream(file) << "{";
  CHECK(load_profile(folder.path(), "here").all().empty());
  program::CostTable costs;
  costs.insert("a", {1.0, 0});
  store_profile(folder.path(), "here", costs);
  CHECK(load_profile(folder.path(), "here").all().size() == 1);
}

TEST_CASE("profile contexts differ by ranks, threads and precision") {
  Case one, two;
  two.ranks = 2;
  Experiment experiment;
  experiment.devices.kind = "reference";
  experiment.devices.transport = "threads";
  experiment.training.precision = "fp32";
  const std::string context = profile_context(experiment, one, 2);
  CHECK(context == profile_context(experiment, one, 2));
  CHECK(context != profile_context(experiment, two, 2));
  CHECK(context != profile_context(experiment, one, 4));
  experiment.training.precision = "tf32";
  CHECK(context != profile_context(experiment, one, 2));
}
