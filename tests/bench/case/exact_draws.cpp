#include "exact_draws.h"

#include <iterator>

#include "base/join.h"
#include "dice.h"
#include "exact_models.h"
#include "graph/byte_inputs.h"
#include "strategies/inter_layer/schedules.h"

namespace ddlbench::test {

using graph::Role;
using strategies::Recomputation;

namespace {

graph::Optimizer draw_optimizer(Dice& dice, bool scales_loss, std::string& words) {
  graph::OptimizerSettings settings;
  settings.guard.skip_overflow = scales_loss;
  settings.scaling = {1024, 2};
  settings.weight_decay = dice.one_of({0.0F, 0.01F});
  settings.exempts_vectors = dice.coin();
  settings.guard.max_norm = dice.one_of({0.0F, 0.5F});
  settings.epsilon = 1e-3F;  // otherwise gradients that are zero except for rounding would move weights as far as any
                             // other gradient
  words += settings.guard.max_norm > 0 ? " clip" : "";
  const std::string kind = dice.one_of({"sgd", "adam", "adamw", "lars", "lamb"});
  words += " " + kind;
  if (kind == "adam") return graph::adam(settings);
  if (kind == "adamw") return graph::adamw(settings);
  if (kind == "lamb") return graph::lamb(settings);
  settings.momentum = 0.9F;
  if (kind == "lars") {
    settings.trust_coefficient = 0.1F;
    return graph::lars(settings);
  }
  settings.nesterov = dice.coin();
  return graph::sgd(settings);
}

Recomputation draw_recomputation(Dice& dice, std::string& words) {
  switch (dice.below(3)) {
    case 0:
      words += " recompute=full";
      return {Recomputation::Kind::full};
    case 1:
      words += " recompute=some";
      return {Recomputation::Kind::selective, {"gelu", "layer_norm", "batch_norm", "dropout", "conv2d"}};
    default:
      return {};
  }
}

}  // namespace

RandomTraining drawn(std::uint64_t seed) {
  Dice dice(seed);
  RandomTraining result;
  result.words = "seed " + std::to_string(seed) + ":";
  strategies::StrategySpec& spec = result.spec;
  spec.mesh.batch = dice.one_of({1, 2, 2});
  spec.mesh.features = dice.one_of({1, 1, 2});
  spec.mesh.stages = dice.one_of({1, 1, 2});
  spec.batch.microbatches = dice.one_of({1, 2});
  spec.state.stage = dice.below(4);
  spec.sync.buckets = {256, 1024};
  Dice nodes(seed ^ 0x6e6f646573);
  if (nodes.below(4) == 0) {
    spec.mesh.replicas = 2;
    spec.sync.hierarchical = nodes.coin();
    result.words += spec.sync.hierarchical ? " hierarchical" : " replicas";
  }
  Dice speeds(seed ^ 0x737065656473);
  if (speeds.coin()) {
    for (int rank = 0; rank < spec.mesh.data_ranks(); ++rank) spec.batch.speeds.push_back(1 + speeds.below(3));
    result.words += " speeds=" + joined(spec.batch.speeds);
  }
  if (spec.mesh.stages > 1) spec.pipeline.schedule = strategies::find_schedule(dice.one_of({"gpipe", "1f1b"})).schedule;
  for (const auto& [name, number] : {std::pair{"data", spec.mesh.batch},
                                     {"tensor", spec.mesh.features},
                                     {"pipeline", spec.mesh.stages},
                                     {"microbatches", spec.batch.microbatches},
                                     {"zero", spec.state.stage}})
    result.words += std::string(" ") + name + "=" + std::to_string(number);
  const bool is_text = dice.coin();
  const std::int64_t samples = spec.batch.microbatches > 1 ? 2 : dice.one_of<std::int64_t>({0, 2, 4});
  result.words += is_text ? " text" : " images by " + std::to_string(samples);
  result.training.model = is_text ? text(8) : images(8, samples);
  const bool is_f16 = Dice(~seed).below(4) == 0;
  result.training.optimizer = draw_optimizer(dice, is_f16, result.words);
  if (is_f16) {
    result.training.model = graph::in_precision(result.training.model, graph::DType::f16);
    result.tolerance = 0.1;  // a ReLU on the other side of zero changes norms by percents
    result.words += " fp16";
  }
  if (dice.below(4) == 0 && !is_f16) {
    result.training.model = graph::in_precision(result.training.model, graph::DType::bf16);
    result.tolerance = 0.15;  // some ten roundings to 8 bits, and layer-wise rates that depend on them
    result.words += " bf16";
  }
  spec.memory = draw_recomputation(dice, result.words);
  Dice replicas(seed ^ 0x7265706c696361);
  if (spec.mesh.stages > 1 && spec.batch.microbatches == 2 && replicas.coin()) {
    spec.mesh.stages = 3;
    spec.pipeline.ranks_per_stage = replicas.one_of<std::vector<int>>({{2, 1}, {1, 2}});
    result.words += " ranks_per_stage=" + joined(spec.pipeline.ranks_per_stage);
  }
  Dice divided(seed ^ 0x737461676573);
  if (spec.mesh.stages > 1 && spec.memory.kind != Recomputation::Kind::none && divided.coin()) {
    spec.memory.stages = {divided.below(2)};
    result.words += " of stage " + joined(spec.memory.stages);
  }
  if (spec.mesh.stages > 1 && divided.coin()) {
    spec.pipeline.balance = divided.coin() ? strategies::Balance::memory : strategies::Balance::flops;
    result.words +=
        " balanced by " + std::string(spec.pipeline.balance == strategies::Balance::memory ? "memory" : "FLOPs");
  }
  if (!is_text && dice.coin()) {
    result.training.channel_block = seed % 2 == 0 ? 2 : graph::all_channels;
    result.words += seed % 2 == 0 ? " in channel blocks" : " channels last";
  }
  return result;
}

std::string difference_of_fused_head(std::uint64_t seed, int& ran) {
  RandomTraining way = drawn(seed);
  if (way.training.model.name != "text") return {};
  const auto parameter = static_cast<std::size_t>(way.training.model.with_role(Role::parameter).front());
  const graph::DType dtype = way.training.model.tensors[parameter].type.dtype;
  const Outcome whole = outcome_of(way.training, {});
  way.training.model = graph::in_precision(text(8, true), dtype);
  if (seed % 3 == 0) {
    const char* schedules[] = {"zb_h1", "zb_h2", "zb_auto", "zb_v", "v_half", "v_min"};
    const std::string schedule = schedules[seed / 3 % std::size(schedules)];
    way.spec.pipeline = strategies::pipeline_of(strategies::find_schedule(schedule), 1);
    way.words += " " + schedule;
  }
  try {
    const Outcome found = outcome_of(way.training, way.spec);
    ++ran;
    return difference(found, whole, way.tolerance, way.words + " fused head");
  } catch (const strategies::Unsupported&) {
    return {};
  }
}

std::string difference_of_updates_in_backward(std::uint64_t seed, int& ran) {
  RandomTraining way = drawn(seed);
  if (way.training.optimizer.guard.any()) return {};
  way.spec.mesh.stages = way.spec.batch.microbatches = 1;
  way.spec.memory.stages.clear();
  way.spec.pipeline.schedule = strategies::accumulate_schedule;
  way.spec.state = {};
  try {
    const Outcome whole = outcome_of(way.training, way.spec);
    way.spec.state.keeps_gradients = false;
    const Outcome found = outcome_of(way.training, way.spec);
    ++ran;
    return difference(found, whole, 0, way.words + " updates in backward");
  } catch (const strategies::Unsupported&) {
    return {};
  }
}

std::string difference_of_byte_inputs(std::uint64_t seed, int& ran) {
  RandomTraining way = drawn(seed);
  const auto parameter = static_cast<std::size_t>(way.training.model.with_role(Role::parameter).front());
  const bool is_f32 = way.training.model.tensors[parameter].type.dtype == graph::DType::f32;
  if (way.training.model.name == "text" || !is_f32) return {};
  way.training.normalisation = {{0.4}, {0.25}, graph::Normalisation::Arithmetic::f32};
  try {
    const Outcome numbers = outcome_of(way.training, way.spec);
    way.training.model = graph::with_byte_inputs(way.training.model, *way.training.normalisation, graph::DType::f32);
    const Outcome bytes = outcome_of(way.training, way.spec);
    ++ran;
    return difference(bytes, numbers, 0, way.words + " byte inputs");
  } catch (const strategies::Unsupported&) {
    return {};
  }
}

std::string difference_from_one_rank(std::uint64_t seed, int& ran) {
  const RandomTraining way = drawn(seed);
  Outcome found;
  try {
    found = outcome_of(way.training, way.spec);
  } catch (const strategies::Unsupported&) {
    return {};
  }
  ++ran;
  Training row_major = way.training;
  row_major.channel_block = 1;
  const Outcome whole = outcome_of(row_major, {});
  return difference(found, whole, way.tolerance, way.words);
}

}  // namespace ddlbench::test
