#include "exact_runs.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <optional>
#include <sstream>

#include "bench/case/feed.h"
#include "bench/case/gather.h"
#include "bench/case/setup.h"
#include "dice.h"
#include "exact_models.h"
#include "graph/byte_inputs.h"
#include "kernels/own/own_device.h"
#include "runtime/metric_shares.h"
#include "runtime/step_gradients.h"
#include "strategies/inter_layer/schedules.h"

namespace ddlbench::test {

using graph::Role;
using program::MemoryClass;
using runtime::Engine;
using runtime::Mode;
using strategies::Recomputation;

namespace {

std::uint8_t byte_of(std::int64_t sample, std::int64_t i) {
  return static_cast<std::uint8_t>(sample * 37 + i * i * 11);
}

/// This rank's part of a batch, as its input slots ask.
void load(Engine& engine, const Training& training, Mode mode, int rank, std::int64_t step) {
  const program::Plan& plan = engine.plan();
  const program::Program& program = mode == Mode::train ? engine.role().train : engine.role().evaluate;
  std::vector<float> values;
  std::vector<std::uint8_t> bytes;
  std::vector<std::int32_t> tokens, labels, samples;
  for (const program::InputSlot& slot : program.inputs) {
    const graph::TensorType& type = slot.operand.type;
    const std::int64_t size = graph::elements(type.shape) / type.shape[0];
    for (const workloads::Slice& slice : bench::slices_of(plan, rank, slot))
      for (std::int64_t s = slice.begin; s < slice.end; ++s) {
        const std::int64_t sample = step * plan.global_batch + s;
        if (slot.role == Role::sample) samples.push_back(static_cast<std::int32_t>(sample));
        for (std::int64_t i = 0; i < size && slot.role != Role::sample; ++i) {
          const auto integer = static_cast<std::int32_t>((sample * 3 + i * i) % model_classes);
          if (slot.role == Role::label) labels.push_back(integer);
          if (slot.role == Role::input && type.dtype == graph::DType::i32)
            tokens.push_back((integer + 1) % model_classes);
          if (slot.role == Role::input && type.dtype == graph::DType::u8) bytes.push_back(byte_of(sample, i));
          if (slot.role == Role::input && type.dtype == graph::DType::f32)
            values.push_back(value_of(training, sample, i));
        }
      }
  }
  const void* input = nullptr;
  if (!values.empty()) input = values.data();
  if (!bytes.empty()) input = bytes.data();
  if (!tokens.empty()) input = tokens.data();
  engine.load(mode, input, labels.empty() ? nullptr : labels.data(), samples.empty() ? nullptr : samples.data());
}

double relative(double a, double b) {
  return a == b ? 0 : std::abs(a - b) / std::max(std::abs(b), 1e-6);
}

double distance(const runtime::Tensors& a, const runtime::Tensors& b) {
  double difference = 0, size = 0;
  for (const auto& [name, values] : b) {
    const auto found = a.find(name);
    if (found == a.end() || found->second.size() != values.size()) return INFINITY;
    for (std::size_t i = 0; i < values.size(); ++i) {
      difference += std::pow(static_cast<double>(found->second[i]) - static_cast<double>(values[i]), 2);
      size += std::pow(static_cast<double>(values[i]), 2);
    }
  }
  return a.size() == b.size() ? std::sqrt(difference / std::max(size, 1e-12)) : INFINITY;
}

std::size_t position_of(const program::Plan& plan, const std::string& metric) {
  const auto shares = runtime::metric_shares(plan, &program::Role::train, 0);
  const auto found = std::find_if(shares.begin(), shares.end(),
                                  [&metric](const runtime::MetricShare& share) { return share.tensor == metric; });
  return static_cast<std::size_t>(found - shares.begin());
}

graph::Optimizer draw_optimizer(Dice& dice, bool scales_loss, std::string& words) {
  graph::OptimizerSettings settings;
  settings.guard.skip_overflow = scales_loss;
  settings.scaling = {1024, 2};
  settings.weight_decay = dice.one_of({0.0F, 0.01F});
  settings.exempts_vectors = dice.coin();
  settings.guard.max_norm = dice.one_of({0.0F, 0.5F});
  settings.epsilon = 1e-3F;  // or else what is zero but for rounding would move as far as all else
  words += settings.guard.max_norm > 0 ? " clip" : "";
  const std::string kind = dice.one_of({"sgd", "adam", "adamw", "lars", "lamb"});
  words += " " + kind;
  if (kind == "adam") return graph::adam(settings);
  if (kind == "adamw") return graph::adamw(settings);
  if (kind == "lamb") return graph::lamb(settings);
  settings.momentum = 0.9F;
  if (kind == "lars") {
    settings.trust = 0.1F;
    return graph::lars(settings);
  }
  settings.nesterov = dice.coin();
  return graph::sgd(settings);
}

Recomputation draw_recomputation(Dice& dice, std::string& words) {
  switch (dice.below(3)) {
    case 0:
      words += " recompute=full";
      return {Recomputation::Kind::full, {}};
    case 1:
      words += " recompute=some";
      return {Recomputation::Kind::selective, {"gelu", "layer_norm", "batch_norm", "dropout", "conv2d"}};
    default:
      return {};
  }
}

/// Makes the first gradient infinite that an instruction of the step's reduction, or of its norm, takes on this rank.
class Injection {
 public:
  explicit Injection(Engine& engine, int rank) : engine_(engine), rank_(rank) {}

  void before(const program::Instruction& instruction) {
    const program::Operand* gradient = nullptr;
    if (const auto* call = std::get_if<program::CollectiveCall>(&instruction.action)) {
      if (instruction.name.starts_with("reduce bucket") || instruction.name.starts_with("scatter bucket"))
        gradient = &call->input;
    } else if (instruction.name.starts_with("norm of bucket")) {
      gradient = &std::get<program::Compute>(instruction.action).inputs.front();
    }
    if (done_ || gradient == nullptr || gradient->view.bytes == 0) return;
    done_ = true;
    program::StateShard shard;
    shard.whole = {{1}, gradient->type.dtype};
    program::HeldState first{&shard, {0, 1}, located(gradient->view, shard_coordinate(engine_.plan(), rank_))};
    first.view.bytes = static_cast<std::int64_t>(graph::size_of(gradient->type.dtype));
    const float infinite = INFINITY;
    engine_.write(first, &infinite);
  }

 private:
  Engine& engine_;
  int rank_;
  bool done_ = false;
};

}  // namespace

std::unique_ptr<kernels::Device> reference_device() {
  return kernels::make_device("reference", {});
}

std::unique_ptr<kernels::Device> device_of_own_kernels() {
  class Mixed final : public kernels::HostDevice {
   public:
    std::string kind() const override { return "reference"; }
    std::string description() const override { return "own kernels and the reference's"; }
    std::unique_ptr<kernels::Kernel> bind(const kernels::Binding& binding) override {
      return OwnDevice::has(binding.op->kind()) ? own_.bind(binding) : rest_->bind(binding);
    }

   private:
    OwnDevice own_{2};
    std::unique_ptr<kernels::Device> rest_ = reference_device();
  };
  return std::make_unique<Mixed>();
}

float value_of(const Training& training, std::int64_t sample, std::int64_t i) {
  if (training.normalisation) return graph::normalised(*training.normalisation, 0, byte_of(sample, i));
  return training.mean + static_cast<float>(std::sin(static_cast<double>(1 + sample * 37 + i * 3)));
}

Outcome outcome_of(const Training& training, const strategies::StrategySpec& spec) {
  const program::CostTable unknown;
  const int ranks = spec.mesh.batch * spec.mesh.features * spec.mesh.stages;
  program::Plan plan = strategies::compile(
      {training.model, training.batch, ranks, training.optimizer, unknown, training.channel_block}, spec);
  Outcome outcome;
  std::mutex mutex;
  comm::WorldOptions options;
  options.timeout = std::chrono::seconds(60);
  comm::find_transport("threads").launch(ranks, options, [&](comm::Communicator& world) {
    const auto device = training.device();
    bench::complete(plan, *device, world, bench::Sharing::one_plan);
    Engine engine(plan, *device, world);
    engine.initialize(1);
    std::vector<double> losses, norms;
    graph::Scalars scalars;
    scalars.seed = 1;
    scalars.learning_rate = 0.02F;
    scalars.inverse_count =
        1.0F / static_cast<float>(training.batch * (training.model.name == "text" ? text_positions : 1));
    const auto gather = [&](MemoryClass memory_class, runtime::Tensors& to) {
      runtime::Tensors whole = runtime::gather(engine, memory_class, world);
      const std::lock_guard lock(mutex);
      if (world.rank() == 0) to = std::move(whole);
    };
    const bool skips = training.optimizer.guard.skip_overflow;
    for (int step = 0; step < training.steps; ++step) {
      Injection injection(engine, world.rank());
      const bool injects = step == training.overflow.step && world.rank() == training.overflow.rank;
      engine.set_hook(injects ? [&](Mode, const program::Instruction& next) { injection.before(next); }
                              : runtime::Hook());
      std::optional<runtime::StepGradients> gradients;
      if (step == 0) gradients.emplace(engine, world);
      load(engine, training, Mode::train, world.rank(), step);
      scalars.step = step;
      scalars.scaler.updates = static_cast<float>(step);
      engine.step(Mode::train, scalars);
      const std::vector<double> metrics = engine.metrics(Mode::train);
      losses.push_back(metrics.at(position_of(plan, "loss")));
      if (training.optimizer.guard.any()) norms.push_back(metrics.at(position_of(plan, "squared_gradient_norm")));
      if (gradients) {
        runtime::Tensors whole = gradients->take();
        const std::lock_guard lock(mutex);
        if (world.rank() == 0) outcome.gradients = std::move(whole);
      }
      if (!skips) continue;
      runtime::Tensors kept, states;
      gather(MemoryClass::parameters, kept);
      gather(MemoryClass::optimizer_state, states);
      kept.merge(states);
      if (world.rank() != 0) continue;
      outcome.scalers.push_back(engine.scaler().value());
      outcome.kept.push_back(std::move(kept));
    }
    engine.set_hook({});
    engine.drain(Mode::train);
    gather(MemoryClass::parameters, outcome.parameters);
    gather(MemoryClass::statistics, outcome.statistics);
    load(engine, training, Mode::evaluate, world.rank(), 0);
    engine.step(Mode::evaluate, scalars);
    const double evaluation = engine.metrics(Mode::evaluate).at(0);
    const std::vector<double> whole_losses = bench::sum_over_ranks(world, losses);
    const std::vector<double> whole_norms = bench::sum_over_ranks(world, norms);
    const double whole_evaluation = bench::sum_over_ranks(world, {evaluation})[0];
    const std::lock_guard lock(mutex);
    outcome.losses = whole_losses;
    outcome.squared_norms = whole_norms;
    outcome.evaluation = whole_evaluation;
  });
  return outcome;
}

Drawn drawn(std::uint64_t seed) {
  Dice dice(seed);
  Drawn result;
  result.words = "seed " + std::to_string(seed) + ":";
  strategies::StrategySpec& spec = result.spec;
  spec.mesh.batch = dice.one_of({1, 2, 2});
  spec.mesh.features = dice.one_of({1, 1, 2});
  spec.mesh.stages = dice.one_of({1, 1, 2});
  spec.batch.microbatches = dice.one_of({1, 2});
  spec.state.stage = dice.below(4);
  spec.sync.buckets = {256, 1024};
  if (spec.mesh.stages > 1)
    spec.pipeline.schedule = dice.one_of({"gpipe", "1f1b"}) == std::string("gpipe")
                          ? strategies::find_schedule("gpipe").schedule
                          : strategies::find_schedule("1f1b").schedule;
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
    result.tolerance = 0.1;  // a relu that falls on the other side of zero changes norms by percents
    result.words += " fp16";
  }
  if (dice.below(4) == 0 && !is_f16) {
    result.training.model = graph::in_precision(result.training.model, graph::DType::bf16);
    result.tolerance = 0.15;  // some ten roundings to 8 bits, and rates by layer that follow them
    result.words += " bf16";
  }
  spec.memory = draw_recomputation(dice, result.words);
  if (!is_text && dice.coin()) {
    result.training.channel_block = seed % 2 == 0 ? 2 : graph::all_channels;
    result.words += seed % 2 == 0 ? " in channel blocks" : " channels last";
  }
  return result;
}

std::string difference(const Outcome& found, const Outcome& whole, double tolerance, const std::string& words) {
  std::ostringstream out;
  const auto compare = [&](const std::string& what, double difference) {
    if (!(difference <= tolerance)) out << words << ": " << what << " differ by " << difference << "\n";
  };
  for (std::size_t i = 0; i < whole.losses.size(); ++i) {
    compare("losses of step " + std::to_string(i), relative(found.losses.at(i), whole.losses[i]));
  }
  for (std::size_t i = 0; i < whole.squared_norms.size(); ++i) {
    compare("norms of step " + std::to_string(i), relative(found.squared_norms.at(i), whole.squared_norms[i]));
  }
  compare("first gradients", distance(found.gradients, whole.gradients));
  compare("parameters", distance(found.parameters, whole.parameters));
  compare("running statistics", distance(found.statistics, whole.statistics));
  compare("losses in evaluation", relative(found.evaluation, whole.evaluation));
  if (whole.losses.front() == whole.losses.back()) out << words << ": nothing was learnt\n";
  return out.str();
}

std::string difference_of_fused_head(std::uint64_t seed, int& ran) {
  Drawn way = drawn(seed);
  if (way.training.model.name != "text") return {};
  const auto parameter = static_cast<std::size_t>(way.training.model.with_role(Role::parameter).front());
  const graph::DType dtype = way.training.model.tensors[parameter].type.dtype;
  const Outcome whole = outcome_of(way.training, {});
  way.training.model = graph::in_precision(text(8, true), dtype);
  way.spec.pipeline.halves = seed % 3 == 0 ? graph::Halves::apart : graph::Halves::together;
  try {
    const Outcome found = outcome_of(way.training, way.spec);
    ++ran;
    return difference(found, whole, way.tolerance, way.words + " fused head");
  } catch (const strategies::Unsupported&) {
    return {};
  }
}

std::string difference_of_updates_in_backward(std::uint64_t seed, int& ran) {
  Drawn way = drawn(seed);
  if (way.training.optimizer.guard.any()) return {};
  way.spec.mesh.stages = way.spec.batch.microbatches = 1;
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
  Drawn way = drawn(seed);
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
  const Drawn way = drawn(seed);
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
