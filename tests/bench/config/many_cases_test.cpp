#include "bench/config/case_count.h"
#include "bench/config/expand.h"
#include "catch.h"
#include "config_fixture.h"
#include "growth.h"

using namespace ddlbench::bench;
using ddlbench::test::growth;
using ddlbench::test::most_linear_growth;

namespace {

std::string numbers(int count) {
  std::string list = "[0";
  for (int i = 1; i < count; ++i) list += ", " + std::to_string(i);
  return list + "]";
}

/// Returns `count` strategies, each on one rank.
std::string many_strategies(int count) {
  std::string list = "[\"single\"";
  for (int i = 1; i < count; ++i)
    list += ", {\"kind\": \"ddp\", \"ranks\": 1, \"bucket_mb\": " + std::to_string(i) + ".5}";
  return list + "]";
}

std::size_t number_of_cases(const Experiment& experiment) {
  return expand(experiment, fake_registries(), 4).size();
}

}  // namespace

TEST_CASE("a run has at most 10,000 cases, and more are reported before they are built", "[F13]") {
  CHECK(number_of_cases(parse(valid_config, {"/strategies=[\"single\"]", "/training/seed=" + numbers(10000)})) ==
        10000);
  CHECK(errors_of(valid_config, {"/strategies=[\"single\"]", "/training/seed=" + numbers(10001)})
            .ends_with("…': this experiment has 10001 cases, more than the 10000 that a run may have; this is its "
                       "longest list: shorten it, or split the experiment"));
  CHECK(errors_of(valid_config, {"/training/seed=" + numbers(100000)}).find("this experiment has 800000 cases") !=
        std::string::npos);
  CHECK(errors_of(valid_config, {"/strategies=" + many_strategies(6000), "/training/seed=[1, 2]"})
            .find("…': this experiment has 12000 cases") != std::string::npos);
  CHECK(errors_of(valid_config, {"/devices/ranks=" + numbers(4000).replace(1, 1, "4000"), "/training/seed=[1, 2]"})
            .starts_with("--set '/devices/ranks=[4000,"));
  const std::string workload = R"({"model": ["lenet", "mlp"], "dataset": "idx", "global_batch": [1, 2, 3]})";
  CHECK(errors_of(valid_config, {"/workload=[" + workload + ", " + workload + "]", "/training/seed=" + numbers(1000)})
            .find("this experiment has 96000 cases") != std::string::npos);
}

TEST_CASE("reading and expanding strategies takes time in proportion to their number", "[F13]") {
  CHECK(growth(300, [](int strategies) {
          CHECK(number_of_cases(parse(valid_config, {"/strategies=" + many_strategies(strategies)})) ==
                static_cast<std::size_t>(strategies));
        }) < most_linear_growth);
}

TEST_CASE("lists that advance together count once, and a list in a strategy counts as its strategies", "[F13]") {
  const std::string zip = R"(/sweep/zip=[["seed", "learning_rate"]])";
  CHECK(number_of_cases(parse(
            valid_config, {"/strategies=[\"single\"]", "/training/seed=" + numbers(1000),
                           "/training/optimizer/learning_rate=" + numbers(1000).replace(1, 1, "0.5"), zip})) == 1000);
  CHECK(errors_of(valid_config, {"/strategies=[\"single\", \"ddp\"]", "/training/seed=" + numbers(3000),
                                 "/training/optimizer/learning_rate=" + numbers(3000).replace(1, 1, "0.5"), zip})
            .find("this experiment has 12000 cases") != std::string::npos);
  CHECK(errors_of(valid_config, {R"(/strategies=[{"kind": "ddp", "overlap": [true, false], "ranks": 1}])",
                                 "/training/seed=" + numbers(6000)})
            .find("this experiment has 12000 cases") != std::string::npos);
}

TEST_CASE("reading and expanding variants takes time in proportion to their number", "[F13]") {
  CHECK(growth(300, [](int rates) {
          const Experiment experiment = parse(
              valid_config,
              {"/strategies=[\"single\"]", "/training/optimizer/learning_rate=" + numbers(rates).replace(1, 1, "0.5")});
          CHECK(number_of_cases(experiment) == static_cast<std::size_t>(rates));
        }) < most_linear_growth);
}

TEST_CASE("expanding seeds, each with its own contract, takes time in proportion to their number", "[F13]") {
  CHECK(growth(1000, [](int seeds) {
          const Experiment experiment =
              parse(valid_config, {"/strategies=[\"single\"]", "/training/seed=" + numbers(seeds)});
          const auto cases = expand(experiment, fake_registries(), 4);
          CHECK_NOTHROW(require_runnable(experiment, cases));
          CHECK(cases.size() == static_cast<std::size_t>(seeds));
        }) < most_linear_growth);
}

TEST_CASE("each number of a long list is checked against its limits", "[F13]") {
  std::string milestones = "1";
  for (int i = 2; i <= 10000; ++i) milestones += "," + std::to_string(i);
  const auto said = [](const std::string& list) {
    return errors_of(valid_config, {R"(/training/schedule={"kind": "step", "milestones": [)" + list + "]}"});
  };
  CHECK(said(milestones).find("is never reached") != std::string::npos);
  CHECK(said("1").empty());
  for (const char* wrong : {"1234567", "-1", "1.5", "\"1\"", "null"}) {
    INFO(wrong);
    CHECK(said(wrong).find("/milestones/0: expected an integer from 0 to 999999") != std::string::npos);
  }
}
