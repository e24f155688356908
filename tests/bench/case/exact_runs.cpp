#include "exact_runs.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <sstream>

#include "bench/case/feed.h"
#include "bench/case/gather.h"
#include "bench/case/setup.h"
#include "exact_models.h"
#include "kernels/own/own_device.h"
#include "runtime/metric_shares.h"
#include "runtime/step_gradients.h"

namespace ddlbench::test {

using graph::Role;
using program::MemoryClass;
using runtime::Engine;
using runtime::Mode;

namespace {

std::uint8_t byte_of(std::int64_t sample, std::int64_t i) {
  return static_cast<std::uint8_t>(sample * 37 + i * i * 11);
}

/// Loads this rank's part of a batch, as its input slots require.
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

/// Makes infinite the first gradient that the step's gradient reduction, or its norm, reads on this rank.
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

/// One rank of a training. Rank 0 stores the gathered results. All member functions are collective.
class RankRun {
 public:
  RankRun(const Training& training, Engine& engine, comm::Communicator& world, Outcome& outcome)
      : training_(training),
        engine_(engine),
        world_(world),
        outcome_(outcome),
        loss_(position_of(engine.plan(), "loss")),
        injection_(engine, world.rank()) {
    const std::int64_t labels = training.batch * (training.model.name == "text" ? text_positions : 1);
    scalars_.seed = 1;
    scalars_.learning_rate = 0.02F;
    scalars_.inverse_count = 1.0F / static_cast<float>(labels);
    engine.initialize(1);
  }

  void train() {
    std::vector<double> losses, norms;
    for (int step = 0; step < training_.steps; ++step) {
      const std::vector<double> metrics = train_step(step);
      losses.push_back(metrics.at(loss_));
      if (training_.optimizer.guard.any())
        norms.push_back(metrics.at(position_of(engine_.plan(), "squared_gradient_norm")));
      if (training_.optimizer.guard.skip_overflow) keep_state();
    }
    engine_.drain(Mode::train);
    keep(gathered(MemoryClass::parameters), outcome_.parameters);
    keep(gathered(MemoryClass::statistics), outcome_.statistics);
    keep(bench::sum_over_ranks(world_, losses), outcome_.losses);
    keep(bench::sum_over_ranks(world_, norms), outcome_.squared_norms);
  }

  void evaluate() {
    load(engine_, training_, Mode::evaluate, world_.rank(), 0);
    engine_.step(Mode::evaluate, scalars_);
    keep(bench::sum_over_ranks(world_, {engine_.metrics(Mode::evaluate).at(0)})[0], outcome_.evaluation);
  }

 private:
  /// Returns this rank's metrics.
  std::vector<double> train_step(int step) {
    const bool injects = step == training_.overflow.step && world_.rank() == training_.overflow.rank;
    engine_.set_hook(injects ? [this](Mode, const program::Instruction& next) { injection_.before(next); }
                             : runtime::Hook());
    std::optional<runtime::StepGradients> gradients;
    if (step == 0) gradients.emplace(engine_, world_);
    load(engine_, training_, Mode::train, world_.rank(), step);
    scalars_.step = step;
    scalars_.scaler.updates = static_cast<float>(step);
    engine_.step(Mode::train, scalars_);
    const std::vector<double> metrics = engine_.metrics(Mode::train);
    if (gradients) keep(gradients->take(), outcome_.gradients);
    engine_.set_hook({});
    return metrics;
  }

  /// Stores parameters, optimizer states and the loss scaler after a step.
  void keep_state() {
    runtime::Tensors state = gathered(MemoryClass::parameters);
    runtime::Tensors of_optimizer = gathered(MemoryClass::optimizer_state);
    state.merge(of_optimizer);
    if (world_.rank() != 0) return;
    outcome_.scalers.push_back(engine_.scaler().value());
    outcome_.kept.push_back(std::move(state));
  }

  runtime::Tensors gathered(MemoryClass memory_class) { return runtime::gather(engine_, memory_class, world_); }

  template <class Value>
  void keep(Value found, Value& to) const {
    if (world_.rank() == 0) to = std::move(found);
  }

  const Training& training_;
  Engine& engine_;
  comm::Communicator& world_;
  Outcome& outcome_;
  std::size_t loss_;
  Injection injection_;  ///< at most once per training
  graph::Scalars scalars_;
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
  const int ranks = spec.mesh.mesh().size();
  program::Plan plan = strategies::compile(
      {training.model, training.batch, ranks, training.optimizer, unknown, training.channel_block}, spec);
  Outcome outcome;
  comm::WorldOptions options;
  options.timeout = std::chrono::seconds(60);
  comm::find_transport("threads").launch(ranks, options, [&](comm::Communicator& world) {
    const auto device = training.device();
    bench::complete(plan, *device, world, bench::Sharing::one_plan);
    Engine engine(plan, *device, world);
    RankRun run(training, engine, world, outcome);
    run.train();
    run.evaluate();
  });
  return outcome;
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

}  // namespace ddlbench::test
