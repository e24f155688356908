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

TEST_CASE("an error in a --set names its number, its column and the pointer") {
  CHECK(errors_of(valid_config, {"/training/epoch=5"}) ==
        "--set:1:1: /training/epoch: unknown key \"epoch\" (did you mean \"epochs\"?)");
  CHECK(errors_of(valid_config, {"/training/epochs=1", "/trainin/epochs=5"})
            .starts_with("--set:2:1: /trainin: unknown key \"trainin\""));
  CHECK(errors_of(valid_config, {"/training/epochs=x"}) ==
        "--set:1:18: /training/epochs: expected an integer from 1 to 100000; found the string \"x\"");
  CHECK(errors_of(valid_config, {"/devices/ranks=[1,0]"}) ==
        "--set:1:19: /devices/ranks/1: expected an integer from 1 to 4096; found 0");
  CHECK(errors_of(valid_config, {"/strategies/9=ddp"}) ==
        "--set:1:1: /strategies: the list has 4 entries, counted from 0, and \"-\" appends one; there is no "
        "\"9\"");
  CHECK(errors_of(valid_config, {"/name/first=x"}) ==
        "--set:1:1: /name: it is a single value: there is no \"first\" inside");
  CHECK(errors_of(valid_config, {"training/epochs=5"}) ==
        "--set:1:1: training/epochs: a JSON pointer begins with \"/\"");
  CHECK(errors_of(valid_config, {"/training/epochs"}) ==
        "--set:1:1: expected /pointer=value; found \"/training/epochs\"");
  CHECK(errors_of(valid_config, {"/strategies/1={\"kind\":\"ddp\",\"kind\":\"ddp\"}"}) ==
        "--set:1:29: /strategies/1/kind: the key \"kind\" occurs twice in this object, first in line 1");
}
