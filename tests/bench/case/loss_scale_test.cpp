#include <cmath>

#include "catch.h"
#include "exact_models.h"
#include "exact_runs.h"
#include "strategies/inter_layer/schedules.h"

using namespace ddlbench;
using test::Outcome;

namespace {

graph::Optimizer adam(graph::LossScaling scaling) {
  graph::OptimizerSettings settings;
  settings.epsilon = 1e-3F;
  settings.guard.skip_overflow = true;
  settings.scaling = scaling;
  return graph::adam(settings);
}

test::Training scaled_training(const graph::Graph& model, graph::LossScaling scaling) {
  test::Training training;
  training.model = graph::in_precision(model, graph::DType::f16);
  training.optimizer = adam(scaling);
  training.steps = 6;
  return training;
}

strategies::StrategySpec spec_of(int data, int tensor, int pipeline, int stage) {
  strategies::StrategySpec spec;
  spec.mesh.batch = data;
  spec.mesh.features = tensor;
  spec.mesh.stages = pipeline;
  spec.batch.microbatches = 2;
  spec.state.stage = stage;
  spec.sync.buckets = {256, 1024};
  if (pipeline > 1) spec.pipeline.schedule = strategies::find_schedule("1f1b").schedule;
  return spec;
}

struct NamedSpec {
  std::string name;
  strategies::StrategySpec spec;
};

std::vector<NamedSpec> named_specs() {
  return {{"ddp", spec_of(2, 1, 1, 0)},
          {"zero 1", spec_of(2, 1, 1, 1)},
          {"zero 2", spec_of(2, 1, 1, 2)},
          {"zero 3", spec_of(2, 1, 1, 3)},
          {"tensor", spec_of(1, 2, 1, 0)},
          {"pipeline", spec_of(1, 1, 2, 0)},
          {"pipeline × zero 1", spec_of(2, 1, 2, 1)}};
}

/// Returns parameters and states except the scaler's.
runtime::Tensors without_scaler(runtime::Tensors kept) {
  for (const char* name : graph::loss_scaler_states) REQUIRE(kept.erase(name) == 1);
  REQUIRE_FALSE(kept.empty());
  return kept;
}

std::vector<float> scales_of(const Outcome& outcome) {
  std::vector<float> scales;
  for (const graph::LossScaler& scaler : outcome.scalers) scales.push_back(scaler.scale);
  return scales;
}

}  // namespace

TEST_CASE("an overflow on one rank makes every rank skip the step, under every strategy") {
  for (const graph::Graph& model : {test::text(8), test::images(8, 2)}) {
    test::Training training = scaled_training(model, {256, 2});
    training.overflow = {2, 0};
    const Outcome whole = test::outcome_of(training, {});
    for (const NamedSpec& way : named_specs()) {
      CAPTURE(model.name, way.name);
      const int ranks = way.spec.mesh.mesh().size();
      training.overflow.rank = ranks - 1;
      const Outcome found = test::outcome_of(training, way.spec);
      // Two steps without overflow double the scale; the third step overflows.
      CHECK(scales_of(found) == std::vector<float>{256, 512, 256, 256, 512, 512});
      CHECK(found.scalers.back().skipped == 1);
      CHECK(found.scalers.back().updates == 5);
      CHECK(std::isinf(found.squared_norms.at(2)));
      CHECK(without_scaler(found.kept.at(2)) == without_scaler(found.kept.at(1)));
      CHECK(without_scaler(found.kept.at(3)) != without_scaler(found.kept.at(2)));
      CHECK(test::difference(found, whole, 0.02, way.name) == "");
    }
  }
}

TEST_CASE("the loss scale decreases until gradients no longer overflow") {
  test::Training training = scaled_training(test::text(8), {0x1p20F, 2000});
  training.steps = 8;
  const Outcome whole = test::outcome_of(training, {});
  const float skipped = whole.scalers.back().skipped;
  CHECK(skipped >= 2);
  CHECK(skipped <= 6);
  CHECK(whole.scalers.back().scale == std::ldexp(0x1p20F, -static_cast<int>(skipped)));
  CHECK(whole.scalers.back().updates == 8 - skipped);
  for (const NamedSpec& way : named_specs()) {
    CAPTURE(way.name);
    CHECK(scales_of(test::outcome_of(training, way.spec)) == scales_of(whole));
  }
}

TEST_CASE("a fixed loss scale skips overflows and does not change") {
  test::Training training = scaled_training(test::text(8), {128, 0});
  training.overflow = {1, 1};
  const Outcome found = test::outcome_of(training, spec_of(2, 1, 1, 0));
  CHECK(scales_of(found) == std::vector<float>(6, 128));
  CHECK(found.scalers.back().skipped == 1);
  CHECK(found.scalers.back().updates == 5);
}

TEST_CASE("a skipped step does not advance Adam's bias correction") {
  test::Training training = scaled_training(test::text(8), {64, 2000});
  training.overflow = {0, 0};
  const Outcome skipped = test::outcome_of(training, {});
  // The update after the skipped step is Adam's first: each weight moves by the rate times g / (|g| + epsilon'), at
  // most by the rate.
  double largest = 0;
  for (const auto& [name, before] : without_scaler(skipped.kept.at(0))) {
    if (!name.ends_with(".master")) continue;
    const std::vector<float>& after = skipped.kept.at(1).at(name);
    for (std::size_t i = 0; i < before.size(); ++i)
      largest = std::max(largest, std::abs(static_cast<double>(after[i]) - static_cast<double>(before[i])));
  }
  CHECK(largest <= 0.02 * 1.0001);
  CHECK(largest >= 0.02 * 0.9);
}
