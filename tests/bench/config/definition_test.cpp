#include "bench/config/contract.h"

#include <filesystem>

#include "catch.h"
#include "config_fixture.h"

using namespace ddlbench;
using namespace ddlbench::bench;

namespace {

/// Returns the same definition for "one" and "two". Throws InputError for "missing".
std::string definition_of(const OptionValues& options) {
  const auto& file = value_of<std::string>(options, "file");
  if (file == "missing") throw InputError("missing: cannot be read");
  return file == "one" || file == "two" ? "the same" : "another";
}

Experiment of_file(const std::string& file) {
  Registries fakes = fake_registries();
  fakes.models.push_back(
      {"graph", "Of a file.", {{"file", std::string(), "Its path."}}, nullptr, nullptr, definition_of});
  return parse_experiment(with("\"lenet\"", R"({"kind": "graph", "file": ")" + file + "\"}"), "small.json", {}, fakes);
}

}  // namespace

TEST_CASE("a model's file enters the contract by its contents, not by its path") {
  const auto id = [](const std::string& file) { return contract_id(of_file(file), 64, 7); };
  CHECK(id("one") == id("two"));
  CHECK(id("one") != id("three"));
  CHECK(scaling_id(of_file("one"), 7) == scaling_id(of_file("two"), 7));
  CHECK(scaling_id(of_file("one"), 7) != scaling_id(of_file("three"), 7));
  CHECK(parse(valid_config).workload.derived.definition.empty());
}

TEST_CASE("a data set that reports its contents enters the contract by them") {
  const auto id = [](const std::string& path, const std::string& says) {
    Experiment experiment = parse(valid_config, {"/workload/dataset/path=" + path});
    if (!says.empty()) experiment.workload.derived.data_identity = {"idx", {{"path", says}}};
    return contract_id(experiment, 64, 7);
  };
  CHECK(id("/here", "fnv1a 1") == id("/there", "fnv1a 1"));
  CHECK(id("/here", "fnv1a 1") != id("/here", "fnv1a 2"));
  CHECK(id("/here", "") != id("/there", ""));
}

TEST_CASE("a missing model file is reported where the configuration names it", "[N5]") {
  try {
    of_file("missing");
    FAIL("nothing was thrown");
  } catch (const ConfigError& error) {
    CHECK(std::string(error.what()) ==
          "small.json:4:14: /workload/model: missing: cannot be read; a relative path starts at the current folder, so "
          "ddlbench looked for " +
              (std::filesystem::current_path() / "missing").string());
  }
}
