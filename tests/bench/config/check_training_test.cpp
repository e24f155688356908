#include "catch.h"
#include "config_fixture.h"

using namespace ddlbench::bench;

namespace {

/// What is said when these are set.
std::string said(const std::vector<std::string>& overrides) {
  const std::string errors = errors_of(valid_config, overrides);
  const auto pointer = errors.find("/training");
  return pointer == std::string::npos ? errors : errors.substr(pointer);
}

}  // namespace

TEST_CASE("settings of a training are read, and have defaults") {
  const Training plain = parse(valid_config).training;
  CHECK(plain.schedule.kind == "constant");
  CHECK(plain.schedule.base_batch == 0);
  CHECK(plain.clip_norm == 0);
  CHECK(plain.loss.kind == "cross_entropy");

  const Training set =
      parse(valid_config, {"/training/epochs=90", R"(/training/schedule={"kind": "step", "milestones": "30,60,80"})",
                           "/training/warmup_epochs=5", "/training/scale_with_batch=256", "/training/clip_norm=1.5",
                           "/training/label_smoothing=0.1", "/training/optimizer/nesterov=true"})
          .training;
  CHECK(set.schedule.milestones == std::vector<std::int64_t>{30, 60, 80});
  CHECK(set.schedule.factor == 0.1);
  CHECK(set.schedule.warmup_epochs == 5);
  CHECK(set.schedule.base_batch == 256);
  CHECK(set.clip_norm == 1.5);
  CHECK(set.loss.label_smoothing == 0.1);
  CHECK(set.optimizer.nesterov);
}

TEST_CASE("the loss scale of fp16 is dynamic unless it is fixed") {
  const auto scale = [](const std::string& settings) {
    return parse(valid_config, {"/training/precision=fp16", "/training/loss_scale=" + settings}).training.loss_scale;
  };
  CHECK(parse(valid_config, {"/training/precision=fp16"}).training.loss_scale ==
        LossScaleChoice{"dynamic", 65536, 2000});
  CHECK(scale(R"({"kind": "dynamic", "initial": 1024, "growth_interval": 5})") == LossScaleChoice{"dynamic", 1024, 5});
  CHECK(scale(R"({"kind": "fixed", "scale": 128})") == LossScaleChoice{"fixed", 128, 0});
  CHECK(said({"/training/precision=fp16", R"(/training/loss_scale={"kind": "dynamic", "initial": 0})"}) != "");
  CHECK(said({R"(/training/loss_scale={"kind": "fixed", "scale": 128})"}) ==
        "/training/loss_scale: is of the precision \"fp16\" alone, and this is \"fp32\"");
}

TEST_CASE("optimizers have the defaults of their papers") {
  const auto optimizer = [](const std::string& kind) {
    return parse(valid_config, {"/training/optimizer={\"kind\": \"" + kind + "\", \"learning_rate\": 1}"})
        .training.optimizer;
  };
  CHECK(optimizer("sgd").momentum == 0);
  CHECK_FALSE(optimizer("sgd").exempt_vectors);
  CHECK(optimizer("adam").weight_decay == 0);
  CHECK(optimizer("adamw").weight_decay == 0.01);
  CHECK(optimizer("lars").momentum == 0.9);
  CHECK(optimizer("lars").trust == 0.001);
  CHECK(optimizer("lars").weight_decay == 0.0005);
  CHECK(optimizer("lars").exempt_vectors);
  CHECK(optimizer("lamb").epsilon == 1e-6);
  CHECK(optimizer("lamb").exempt_vectors);
}

TEST_CASE("an empty string is no way to leave a setting out") {
  for (const std::string key : {"save", "load"})
    CHECK(said({"/training/checkpoint/" + key + "="}) ==
          "/training/checkpoint/" + key + ": expected a string that is not empty; found the string \"\"");
}

TEST_CASE("what makes no sense in a training is told where it stands") {
  const auto schedule = [](const std::string& settings) {
    return said({R"(/training/schedule={"kind": "step")" + settings + "}"});
  };
  CHECK(schedule("") == "/training/schedule/milestones: needs either milestones or every_epochs");
  CHECK(schedule(R"(, "milestones": "1", "every_epochs": 1)") ==
        "/training/schedule/milestones: needs either milestones or every_epochs");
  CHECK(schedule(R"(, "milestones": "2")") ==
        "/training/schedule/milestones: 2 is never reached by a training of 2 epochs");
  CHECK(schedule(R"(, "every_epochs": 2)") ==
        "/training/schedule/every_epochs: is never reached by a training of 2 epochs");
  CHECK(schedule(R"(, "milestones": "1,1")") ==
        "/training/schedule/milestones: must be above 0, each above the one before it");
  CHECK(schedule(R"(, "milestones": "1;2")") ==
        "/training/schedule/milestones: expected a string of whole numbers such as \"30,60,80\"; found the string "
        "\"1;2\"");
  CHECK(said({R"(/training/schedule={"kind": "cosine", "minimum": 0.1})"}) ==
        "/training/schedule/minimum: is above the learning rate 0.05");
  CHECK(said({"/training/warmup_steps=3", "/training/warmup_epochs=1"}) ==
        "/training/warmup_steps: stands beside warmup_epochs: leave one of them out");
  CHECK(said({"/training/warmup_epochs=2"}) == "/training/warmup_epochs: leaves nothing of a training of 2 epochs");
  CHECK(said({"/training/optimizer/momentum=0", "/training/optimizer/nesterov=true"}) ==
        "/training/optimizer/nesterov: looks ahead along the momentum, which is 0");
  CHECK(said({"/training/loss=mean_squared_error", "/training/label_smoothing=0.1"}) ==
        "/training/label_smoothing: is of the loss \"cross_entropy\" alone");
}
