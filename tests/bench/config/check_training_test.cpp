#include "catch.h"
#include "config_fixture.h"

using namespace ddlbench;
using namespace ddlbench::bench;

namespace {

/// Returns the errors with these overrides, from the first pointer into the training on. Removes the argument of --set
/// that the first error names, but not its pointer.
std::string said(const std::vector<std::string>& overrides) {
  const std::string errors = errors_of(valid_config, overrides);
  for (const std::string& override : overrides) {
    for (const std::string& start : {"--set " + override + ": ", "--set '" + override + "': "}) {
      if (!errors.starts_with(start)) continue;
      const std::string rest = errors.substr(start.size());
      return rest.starts_with("/") ? rest : override.substr(0, override.find('=')) + ": " + rest;
    }
  }
  const auto pointer = errors.find("/training");
  return pointer == std::string::npos ? errors : errors.substr(pointer);
}

}  // namespace

TEST_CASE("training settings are read and have defaults") {
  const Training plain = parse(valid_config).training;
  CHECK(plain.rate.schedule == Choice{"constant", {}});
  CHECK(plain.rate.scale_with_batch == 0);
  CHECK(plain.clip_norm == 0);
  CHECK(plain.loss == "cross_entropy");

  const Training set =
      parse(valid_config, {"/training/epochs=90", R"(/training/schedule={"kind": "step", "milestones": [30, 60, 80]})",
                           "/training/warmup_epochs=5", "/training/scale_with_batch=256", "/training/clip_norm=1.5",
                           "/training/label_smoothing=0.1", "/training/optimizer/nesterov=true"})
          .training;
  const auto& step = set.rate.schedule.options;
  CHECK(value_of<Integers>(step, "milestones") == Integers{30, 60, 80});
  CHECK(value_of<double>(step, "factor") == 0.1);
  CHECK(set.rate.warmup_epochs == 5);
  CHECK(set.rate.scale_with_batch == 256);
  CHECK(set.clip_norm == 1.5);
  CHECK(set.label_smoothing == 0.1);
  CHECK(value_of<bool>(set.optimizer.options, "nesterov"));
}

TEST_CASE("the loss scale of fp16 is dynamic unless it is fixed") {
  const auto scale = [](const std::string& settings) {
    return parse(valid_config, {"/training/precision=fp16", "/training/loss_scale=" + settings}).training.loss_scale;
  };
  CHECK(parse(valid_config, {"/training/precision=fp16"}).training.loss_scale ==
        Choice{"dynamic", {{"initial", 65536.0}, {"growth_interval", std::int64_t{2000}}}});
  CHECK(scale(R"({"kind": "dynamic", "initial": 1024, "growth_interval": 5})") ==
        Choice{"dynamic", {{"initial", 1024.0}, {"growth_interval", std::int64_t{5}}}});
  CHECK(scale(R"({"kind": "fixed", "scale": 128})") == Choice{"fixed", {{"scale", 128.0}}});
  CHECK(said({"/training/precision=fp16", R"(/training/loss_scale={"kind": "dynamic", "initial": 0})"}) != "");
  CHECK(said({R"(/training/loss_scale={"kind": "fixed", "scale": 128})"}) ==
        "/training/loss_scale: applies only to the precision \"fp16\", but this is \"fp32\"");
}

TEST_CASE("optimizers have the defaults of their papers") {
  const auto optimizer = [](const std::string& kind) {
    return parse(valid_config, {"/training/optimizer={\"kind\": \"" + kind + "\", \"learning_rate\": 1}"})
        .training.optimizer.options;
  };
  const auto number = [&](const std::string& kind, const std::string& option) {
    return value_of<double>(optimizer(kind), option);
  };
  const auto exempts = [&](const std::string& kind) { return value_of<bool>(optimizer(kind), "exempt_vectors"); };
  CHECK(number("sgd", "momentum") == 0);
  CHECK_FALSE(exempts("sgd"));
  CHECK(number("adam", "weight_decay") == 0);
  CHECK(number("adamw", "weight_decay") == 0.01);
  CHECK(number("lars", "momentum") == 0.9);
  CHECK(number("lars", "trust_coefficient") == 0.001);
  CHECK(number("lars", "weight_decay") == 0.0005);
  CHECK(exempts("lars"));
  CHECK(number("lamb", "epsilon") == 1e-6);
  CHECK(exempts("lamb"));
}

TEST_CASE("an empty string is rejected where a setting can be left out") {
  for (const std::string key : {"save", "load"})
    CHECK(said({"/training/checkpoint/" + key + "="}) ==
          "/training/checkpoint/" + key + ": expected a string that is not empty; found the string \"\"");
}

TEST_CASE("inconsistent training settings are reported at their position") {
  const auto schedule = [](const std::string& settings) {
    return said({R"(/training/schedule={"kind": "step")" + settings + "}"});
  };
  CHECK(schedule("") == "/training/schedule/milestones: needs either milestones or every_epochs");
  CHECK(schedule(R"(, "milestones": [1], "every_epochs": 1)") ==
        "/training/schedule/milestones: needs either milestones or every_epochs");
  CHECK(schedule(R"(, "milestones": [2])") ==
        "/training/schedule/milestones: 2 is never reached by a training of 2 epochs");
  CHECK(schedule(R"(, "every_epochs": 2)") ==
        "/training/schedule/every_epochs: is never reached by a training of 2 epochs");
  CHECK(schedule(R"(, "milestones": [1, 1])") ==
        "/training/schedule/milestones: must be positive and in ascending order");
  CHECK(schedule(R"(, "milestones": "1,2")") ==
        "/training/schedule/milestones: expected a list of integers from 0 to 999999; found the string \"1,2\": write "
        "[1,2]");
  CHECK(said({R"(/training/schedule={"kind": "cosine", "minimum": 0.1})"}) ==
        "/training/schedule/minimum: is above the learning rate 0.05");
  const std::string above_scaled = R"(/training/schedule={"kind": "cosine", "minimum": 0.03})";
  CHECK(said({above_scaled, "/workload/global_batch=[64, 32]", "/training/scale_with_batch=64"}) ==
        "/training/schedule/minimum: is above the learning rate 0.025, to which scale_with_batch scales 0.05; the "
        "minimum is not scaled");
  const std::string below_scaled = R"(/training/schedule={"kind": "cosine", "minimum": 0.09})";
  CHECK(said({below_scaled, "/workload/global_batch=[64, 128]", "/training/scale_with_batch=32"}) == "");
  CHECK(said({"/training/warmup_steps=3", "/training/warmup_epochs=1"}) ==
        "/training/warmup_steps: excludes warmup_epochs: leave one of them out");
  CHECK(said({"/training/warmup_epochs=2"}) ==
        "/training/warmup_epochs: leaves no epoch after the warm-up in a training of 2 epochs");
  CHECK(said({"/training/optimizer/momentum=0", "/training/optimizer/nesterov=true"}) ==
        "/training/optimizer/nesterov: needs momentum, which is 0");
  CHECK(said({"/training/loss=mean_squared_error", "/training/label_smoothing=0.1"}) ==
        "/training/label_smoothing: applies only to the loss \"cross_entropy\"");
}

TEST_CASE("settings of the target need a target") {
  const std::string accuracy = "/training/target/accuracy=0.9", stop = "/training/stop_at_target=true",
                    every = "/training/target/every_steps=10";
  const Training set = parse(valid_config, {accuracy, stop, every}).training;
  CHECK(set.stop_at_target);
  CHECK(set.target.every_steps == 10);
  CHECK(said({stop}) ==
        "/training/stop_at_target: needs a target: set training/target/loss or training/target/accuracy");
  CHECK(said({every}) == "/training/target/every_steps: has no effect without a loss or an accuracy");
}

TEST_CASE("strip_prefix needs weights of another program") {
  const std::string prefix = "/training/checkpoint/strip_prefix=module.",
                    load = "/training/checkpoint/load=a.safetensors";
  CHECK(parse(valid_config, {load, prefix}).training.checkpoint.strip_prefix == "module.");
  CHECK(said({prefix}) == "/training/checkpoint/strip_prefix: has no effect without load");
  CHECK(said({prefix, load, "/training/checkpoint/resume=true"})
            .starts_with("/training/checkpoint/strip_prefix: excludes resume"));
}

TEST_CASE("saves within epochs need a folder") {
  const std::string without = ": has no effect without save: name a folder in training/checkpoint/save";
  CHECK(said({"/training/checkpoint/every_steps=5"}) == "/training/checkpoint/every_steps" + without);
  CHECK(said({"/training/checkpoint/every_seconds=0.5"}) == "/training/checkpoint/every_seconds" + without);
  const Training set =
      parse(valid_config, {R"(/training/checkpoint={"save": "x", "every_steps": 5, "every_seconds": 2})"}).training;
  CHECK(set.checkpoint.every_steps == 5);
  CHECK(set.checkpoint.every_seconds == 2);
  CHECK(set.checkpoint.every_epochs == 1);
}
