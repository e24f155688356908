#include "catch.h"
#include "config_fixture.h"

using namespace ddlbench;
using namespace ddlbench::bench;

TEST_CASE("the option --set replaces, adds and appends") {
  CHECK(parse(valid_config, {"/training/epochs=5"}).training.epochs == 5);
  CHECK(parse(valid_config, {"/name=other"}).name == "other");
  CHECK(parse(valid_config, {"/name=\"quoted\""}).name == "quoted");
  CHECK(parse(valid_config, {"/devices/ranks=[2,3]"}).devices.ranks == std::vector<int>{2, 3});
  CHECK(parse(valid_config, {"/devices/ranks/0=3"}).devices.ranks == std::vector<int>{3, 2, 4});
  CHECK(parse(valid_config, {"/devices/ranks/-=8"}).devices.ranks == std::vector<int>{1, 2, 4, 8});
  CHECK(parse(valid_config, {"/measure/repetitions=2"}).measure.repetitions == 2);
  CHECK(parse(valid_config, {"/workload/dataset/path=a=b"}).workload.dataset.options.at("path") ==
        OptionValue(std::string("a=b")));
  CHECK(parse(valid_config, {"/training/epochs=5", "/training/epochs=6"}).training.epochs == 6);
}

TEST_CASE("the option --set turns a bare name into an object and creates missing sections") {
  CHECK(parse(valid_config, {"/strategies/1/overlap=false"}).strategies[1].label == "ddp overlap=false");
  CHECK(parse(valid_config, {"/strategies/-=tensor"}).strategies[4].label == "tensor");
  CHECK(parse(valid_config, {"/workload/model=mlp", "/workload/model/hidden=32"}).workload.model.options.at("hidden") ==
        OptionValue(std::int64_t{32}));
  std::string without_measure = valid_config.substr(0, valid_config.find(",\n  \"measure\"")) + "}";
  CHECK(parse(without_measure, {"/measure/steps=4"}).measure.steps == 4);
}

TEST_CASE("an error in a --set names the argument, and the pointer if that is another one") {
  CHECK(errors_of(valid_config, {"/training/epoch=5"}) ==
        "--set /training/epoch=5: unknown key \"epoch\" (did you mean \"epochs\"?)");
  CHECK(errors_of(valid_config, {"/training/epochs=1", "/trainin/epochs=5"})
            .starts_with("--set /trainin/epochs=5: /trainin: unknown key \"trainin\""));
  CHECK(errors_of(valid_config, {"/training/epochs=x"}) ==
        "--set /training/epochs=x: expected an integer from 1 to 100000; found the string \"x\"");
  CHECK(errors_of(valid_config, {"/devices/ranks=[1,0]"}) ==
        "--set '/devices/ranks=[1,0]': /devices/ranks/1: expected an integer from 1 to 4096; found 0");
  CHECK(errors_of(valid_config, {"/strategies/9=ddp"}) ==
        "--set /strategies/9=ddp: /strategies: the list has 4 entries, counted from 0, and \"-\" appends one; there is "
        "no "
        "\"9\"");
  CHECK(errors_of(valid_config, {"/name/first=x"}) ==
        "--set /name/first=x: /name: it is a single value: there is no \"first\" inside");
  CHECK(errors_of(valid_config, {"training/epochs=5"}) == "--set training/epochs=5: a JSON pointer begins with \"/\"");
  CHECK(errors_of(valid_config, {"/training/epochs"}) == "--set /training/epochs: expected /POINTER=VALUE");
  CHECK(errors_of(valid_config, {"/strategies/1={\"kind\":\"ddp\",\"kind\":\"ddp\"}"}) ==
        "--set '/strategies/1={\"kind\":\"ddp\",\"kind\":\"ddp\"}': /strategies/1/kind: the key \"kind\" occurs twice "
        "in this object, first in line 1");
  const std::string one_a = "/training/epochs=\"" + std::string(200, 'a');
  CHECK(errors_of(valid_config, {one_a + "\""}).starts_with("--set '" + one_a.substr(0, 80) + "…': expected an"));
}

TEST_CASE("an error in the file names the --set that changed a part of the value") {
  const std::vector<ddlbench::json::Problem> problems{{{0, 4, 5}, "/workload/dataset", "is too small"}};
  const auto told = [&](const std::vector<std::string>& overrides) {
    return ddlbench::json::to_string(problems, {"small.json", overrides});
  };
  CHECK(told({}) == "small.json:4:5: /workload/dataset: is too small");
  CHECK(told({"/workload/datasets=x", "/training/epochs=3"}) == "small.json:4:5: /workload/dataset: is too small");
  CHECK(told({"/workload/dataset/limit=2", "/workload/dataset/limit=3", "/name=x"}) ==
        "small.json:4:5: /workload/dataset: is too small (changed by --set /workload/dataset/limit=3)");
}
