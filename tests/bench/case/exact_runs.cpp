#include "exact_runs.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <sstream>

#include "bench/case/feed.h"
#include "bench/case/gather.h"
#include "bench/case/setup.h"
#include "graph/ops/attention.h"
#include "graph/ops/batch_norm.h"
#include "graph/ops/conv2d.h"
#include "graph/ops/dropout.h"
#include "graph/ops/embedding.h"
#include "graph/ops/gelu.h"
#include "graph/ops/layer_norm.h"
#include "graph/ops/linear.h"
#include "graph/ops/loss.h"
#include "graph/ops/shape.h"
#include "graph/random.h"
#include "runtime/metric_shares.h"
#include "strategies/inter_layer/schedules.h"

namespace ddlbench::test {

using graph::Activation;
using graph::Role;
using graph::TensorId;
using program::MemoryClass;
using runtime::Engine;
using runtime::Mode;
using strategies::Recomputation;

namespace {

constexpr std::int64_t classes = 5;
constexpr std::int64_t positions = 6;

/// Draws from a seed.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : key_(graph::random_key(seed, graph::Purpose::synthetic_data, "dice")) {}
  int below(int limit) { return static_cast<int>(graph::philox(key_, 0, next_++).v[0] % static_cast<unsigned>(limit)); }
  bool coin() { return below(2) == 0; }
  template <class T>
  T one_of(std::initializer_list<T> choices) {
    return *(choices.begin() + below(static_cast<int>(choices.size())));
  }

 private:
  std::uint64_t key_;
  std::uint64_t next_ = 0;
};

TensorId parameter(graph::Graph& g, const std::string& name, graph::Shape shape, float spread, float mean = 0) {
  return g.add_tensor({name,
                       {std::move(shape), graph::DType::f32},
                       Role::parameter,
                       {graph::Initializer::Kind::uniform, mean - spread, mean + spread}});
}

void finish(graph::Graph& g, TensorId logits, graph::Shape labels) {
  const TensorId label = g.add_tensor({"labels", {std::move(labels), graph::DType::i32}, Role::label});
  const char* names[] = {"loss", "correct", "correct_top5"};
  const auto metrics = g.add("loss", std::make_shared<graph::CrossEntropy>(0.1F), {logits, label});
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    g.tensors[static_cast<std::size_t>(metrics[i])].role = Role::metric;
    g.tensors[static_cast<std::size_t>(metrics[i])].name = names[i];
  }
}

TensorId convolution(graph::Graph& g, const std::string& name, TensorId x, std::int64_t in, std::int64_t out,
                     int stride) {
  const TensorId w = parameter(g, name + ".weight", {out, in, 3, 3}, 0.4F);
  return g.add(name, std::make_shared<graph::Conv2d>(graph::ConvolutionAttributes{stride, 1}, false, Activation::none),
               {x, w})[0];
}

TensorId linear(graph::Graph& g, const std::string& name, TensorId x, std::int64_t in, std::int64_t out,
                Activation activation) {
  const TensorId w = parameter(g, name + ".weight", {out, in}, 0.5F);
  const TensorId b = parameter(g, name + ".bias", {out}, 0.1F);
  return g.add(name, std::make_shared<graph::Linear>(true, activation), {x, w, b})[0];
}

graph::Graph images(std::int64_t batch, std::int64_t samples) {
  graph::Graph g;
  g.name = "images";
  TensorId x = g.add_tensor({"images", {{batch, 2, 6, 6}, graph::DType::f32}, Role::input});
  const graph::BatchNormAttributes norm{samples, 1e-5F};
  x = convolution(g, "conv1", x, 2, 4, 2);
  x = add_batch_norm(g, "bn1", x, graph::absent, norm, Activation::relu);
  const TensorId shortcut = x;
  x = convolution(g, "conv2", x, 4, 4, 1);
  x = add_batch_norm(g, "bn2", x, shortcut, norm, Activation::relu);
  x = add_dropout(g, "drop1", x, 0.2F);
  x = g.add("flatten", std::make_shared<graph::Flatten>(), {x})[0];
  x = linear(g, "fc1", x, 36, 12, Activation::relu);
  x = add_dropout(g, "drop2", x, 0.3F);
  x = linear(g, "fc2", x, 12, 8, Activation::relu);
  x = linear(g, "fc3", x, 8, classes, Activation::none);
  finish(g, x, {batch});
  return g;
}

TensorId layer_norm(graph::Graph& g, const std::string& name, TensorId x, std::int64_t hidden) {
  const TensorId gamma = parameter(g, name + ".weight", {hidden}, 0.1F, 1);
  const TensorId beta = parameter(g, name + ".bias", {hidden}, 0.1F);
  return g.add(name, std::make_shared<graph::LayerNorm>(1e-5F), {x, gamma, beta})[0];
}

graph::Graph text(std::int64_t batch) {
  constexpr std::int64_t hidden = 8, vocabulary = classes;
  graph::Graph g;
  g.name = "text";
  const TensorId tokens = g.add_tensor({"tokens", {{batch, positions}, graph::DType::i32}, Role::input});
  const TensorId table = parameter(g, "wte.weight", {vocabulary, hidden}, 0.5F);
  TensorId x = g.add("wte", std::make_shared<graph::Embedding>(), {tokens, table})[0];
  x = g.add("wpe", std::make_shared<graph::AddPositions>(),
            {x, parameter(g, "wpe.weight", {positions, hidden}, 0.5F)})[0];
  x = add_dropout(g, "drop", x, 0.1F);
  for (const std::string name : {"h.0", "h.1"}) {
    TensorId y = layer_norm(g, name + ".ln_1", x, hidden);
    y = linear(g, name + ".c_attn", y, hidden, 3 * hidden, Activation::none);
    y = g.add(name + ".attn", std::make_shared<graph::Attention>(hidden / 4), {y})[0];
    y = linear(g, name + ".c_proj", y, hidden, hidden, Activation::none);
    y = add_dropout(g, name + ".drop", y, 0.2F);
    x = g.add(name + ".add", std::make_shared<graph::Add>(), {x, y})[0];
    y = layer_norm(g, name + ".ln_2", x, hidden);
    y = linear(g, name + ".c_fc", y, hidden, 16, Activation::none);
    y = g.add(name + ".gelu", std::make_shared<graph::Gelu>(graph::GeluForm::tanh), {y})[0];
    y = linear(g, name + ".c_out", y, 16, hidden, Activation::none);
    x = g.add(name + ".add2", std::make_shared<graph::Add>(), {x, y})[0];
  }
  x = layer_norm(g, "ln_f", x, hidden);
  x = g.add("lm_head", std::make_shared<graph::Linear>(false, Activation::none), {x, table})[0];
  finish(g, x, {batch, positions});
  return g;
}

/// Of sample `index` in step `step`.
float value_of(std::int64_t index, std::int64_t i) {
  return static_cast<float>(std::sin(static_cast<double>(1 + index * 37 + i * 3)));
}

/// This rank's part of a batch, as its input slots ask.
void load(Engine& engine, Mode mode, int rank, std::int64_t step) {
  const program::Plan& plan = engine.plan();
  const program::Program& program = mode == Mode::train ? engine.role().train : engine.role().evaluate;
  std::vector<float> values;
  std::vector<std::int32_t> tokens, labels, samples;
  for (const program::InputSlot& slot : program.inputs) {
    const graph::TensorType& type = slot.operand.type;
    const std::int64_t size = graph::elements(type.shape) / type.shape[0];
    for (const workloads::Slice& slice : bench::slices_of(plan, rank, slot))
      for (std::int64_t s = slice.begin; s < slice.end; ++s) {
        const std::int64_t sample = step * plan.global_batch + s;
        if (slot.role == Role::sample) samples.push_back(static_cast<std::int32_t>(sample));
        for (std::int64_t i = 0; i < size && slot.role != Role::sample; ++i) {
          const auto integer = static_cast<std::int32_t>((sample * 3 + i * i) % classes);
          if (slot.role == Role::label) labels.push_back(integer);
          if (slot.role == Role::input && type.dtype == graph::DType::i32) tokens.push_back((integer + 1) % classes);
          if (slot.role == Role::input && type.dtype != graph::DType::i32) values.push_back(value_of(sample, i));
        }
      }
  }
  const void* input = tokens.empty() ? (values.empty() ? nullptr : static_cast<const void*>(values.data()))
                                     : static_cast<const void*>(tokens.data());
  engine.load(mode, input, labels.empty() ? nullptr : labels.data(), samples.empty() ? nullptr : samples.data());
}

double relative(double a, double b) {
  return std::abs(a - b) / std::max(std::abs(b), 1e-6);
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

graph::Optimizer draw_optimizer(Dice& dice, std::string& words) {
  graph::OptimizerSettings settings;
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

}  // namespace

Outcome outcome_of(const Training& training, const strategies::Recipe& recipe) {
  const program::CostTable unknown;
  const int ranks = recipe.data * recipe.tensor * recipe.pipeline;
  program::Plan plan =
      strategies::compile({training.model, training.batch, ranks, training.optimizer, unknown}, recipe);
  Outcome outcome;
  std::mutex mutex;
  comm::WorldOptions options;
  options.timeout = std::chrono::seconds(60);
  comm::find_transport("threads").launch(ranks, options, [&](comm::Communicator& world) {
    const auto device = kernels::make_device("reference", {});
    bench::complete(plan, *device, world, bench::Sharing::one_plan);
    Engine engine(plan, *device, world);
    engine.initialize(1);
    std::vector<double> losses, norms;
    graph::Scalars scalars;
    scalars.seed = 1;
    scalars.learning_rate = 0.02F;
    scalars.inverse_count = 1.0F / static_cast<float>(training.batch * (training.model.name == "text" ? positions : 1));
    const auto gather = [&](MemoryClass memory_class, runtime::Tensors& to) {
      runtime::Tensors whole = runtime::gather(engine, memory_class, world);
      const std::lock_guard lock(mutex);
      if (world.rank() == 0) to = std::move(whole);
    };
    for (int step = 0; step < training.steps; ++step) {
      load(engine, Mode::train, world.rank(), step);
      scalars.step = scalars.updates = step;
      engine.step(Mode::train, scalars);
      const std::vector<double> metrics = engine.metrics(Mode::train);
      losses.push_back(metrics.at(position_of(plan, "loss")));
      if (training.optimizer.guard.any()) norms.push_back(metrics.at(position_of(plan, "squared_gradient_norm")));
      if (step == 0) gather(MemoryClass::gradients, outcome.gradients);
    }
    engine.drain(Mode::train);
    gather(MemoryClass::parameters, outcome.parameters);
    gather(MemoryClass::statistics, outcome.statistics);
    load(engine, Mode::evaluate, world.rank(), 0);
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
  strategies::Recipe& recipe = result.recipe;
  recipe.data = dice.one_of({1, 2, 2});
  recipe.tensor = dice.one_of({1, 1, 2});
  recipe.pipeline = dice.one_of({1, 1, 2});
  recipe.microbatches = dice.one_of({1, 2});
  recipe.partition.stage = dice.below(4);
  recipe.buckets = {256, 1024};
  if (recipe.pipeline > 1)
    recipe.schedule = dice.one_of({"gpipe", "1f1b"}) == std::string("gpipe")
                          ? strategies::find_schedule("gpipe").schedule
                          : strategies::find_schedule("1f1b").schedule;
  for (const auto& [name, number] : {std::pair{"data", recipe.data},
                                     {"tensor", recipe.tensor},
                                     {"pipeline", recipe.pipeline},
                                     {"microbatches", recipe.microbatches},
                                     {"zero", recipe.partition.stage}})
    result.words += std::string(" ") + name + "=" + std::to_string(number);
  const bool is_text = dice.coin();
  const std::int64_t samples = recipe.microbatches > 1 ? 2 : dice.one_of<std::int64_t>({0, 2, 4});
  result.words += is_text ? " text" : " images by " + std::to_string(samples);
  result.training.model = is_text ? text(8) : images(8, samples);
  result.training.optimizer = draw_optimizer(dice, result.words);
  if (dice.below(4) == 0) {
    result.training.model = graph::in_precision(result.training.model, graph::DType::bf16);
    result.tolerance = 0.15;  // some ten roundings to 8 bits, and rates by layer that follow them
    result.words += " bf16";
  }
  recipe.recomputation = draw_recomputation(dice, result.words);
  return result;
}

std::string difference_from_one_rank(std::uint64_t seed, int& ran) {
  const Drawn way = drawn(seed);
  Outcome found;
  try {
    found = outcome_of(way.training, way.recipe);
  } catch (const strategies::Unsupported&) {
    return {};
  }
  ++ran;
  const Outcome whole = outcome_of(way.training, {});
  std::ostringstream out;
  const auto compare = [&](const std::string& what, double difference) {
    if (!(difference <= way.tolerance)) out << way.words << ": " << what << " differ by " << difference << "\n";
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
  if (whole.losses.front() == whole.losses.back()) out << way.words << ": nothing was learnt\n";
  return out.str();
}

}  // namespace ddlbench::test
