#include "bench/case/setup.h"

#include "bench/case/bound_cores.h"
#include "graph/error.h"
#include "program/check.h"
#include "program/passes.h"
#include "runtime/collectives.h"
#include "runtime/engine.h"
#include "strategies/strategy.h"
#include "workloads/model.h"

namespace ddlbench::bench {
namespace {

graph::Optimizer make_optimizer(const OptimizerChoice& choice) {
  const auto f = [](double value) { return static_cast<float>(value); };
  if (choice.kind == "sgd") return graph::sgd(f(choice.momentum), f(choice.weight_decay));
  if (choice.kind == "adam") {
    return graph::adam(f(choice.beta1), f(choice.beta2), f(choice.epsilon), f(choice.weight_decay));
  }
  throw InputError("unknown optimizer '" + choice.kind + "'; there are: sgd, adam");
}

}  // namespace

Data open_data(const Experiment& experiment) {
  const Choice& choice = experiment.workload.dataset;
  const workloads::DatasetKind& kind = workloads::find_dataset(choice.kind);
  const graph::OptionValues options = graph::with_defaults(kind.options, choice.options);
  Data data{kind.open(options, workloads::Split::training), kind.open(options, workloads::Split::validation)};
  const workloads::SampleShape& training = data.training->shape();
  const workloads::SampleShape& validation = data.validation->shape();
  if (training.sample != validation.sample || training.label != validation.label) {
    throw workloads::BadData("the training samples are " + graph::to_string(training.sample) +
                             ", but the validation samples " + graph::to_string(validation.sample) +
                             ": they do not belong together");
  }
  return data;
}

Setup prepare(const Experiment& experiment, const Case& which, Data data) {
  if (data.training->size() < which.global_batch) {
    throw InputError("a global batch of " + std::to_string(which.global_batch) + " samples is more than the " +
                     std::to_string(data.training->size()) + " training samples of the data set " +
                     experiment.workload.dataset.kind + "; use at most so many");
  }
  const Choice& net = experiment.workload.model;
  const workloads::ModelKind& model = workloads::find_model(net.kind);
  graph::Graph graph =
      model.build(data.training->shape(), which.global_batch, graph::with_defaults(model.options, net.options));
  return {experiment,
          which,
          std::move(data.training),
          std::move(data.validation),
          std::move(graph),
          make_optimizer(experiment.training.optimizer),
          allowed_cores()};
}

Setup prepare(const Experiment& experiment, const Case& which) {
  return prepare(experiment, which, open_data(experiment));
}

program::Plan compile(const Setup& setup, const Choice& strategy, int ranks, const program::CostTable& profile) {
  const strategies::StrategyKind& kind = strategies::find_strategy(strategy.kind);
  program::Plan plan = kind.make(graph::with_defaults(kind.options, strategy.options))
                           ->compile({setup.model, setup.which.global_batch, ranks, setup.optimizer, profile});
  if (!profile.all().empty()) plan.choices.push_back("times: of this machine's profile");
  return plan;
}

void complete(program::Plan& plan, kernels::Device& device, const runtime::Channels& channels, Sharing sharing,
              std::optional<graph::Algorithm> collectives) {
  comm::Communicator& communicator = channels.host;
  // Who shares the plan has read it before it is changed, and reads it again afterwards.
  const auto change = [&](const auto& how) {
    comm::run(communicator.barrier());
    if (sharing == Sharing::own_plan || communicator.rank() == 0) how();
    comm::run(communicator.barrier());
  };
  const auto choices = runtime::choose_collectives(plan, device, channels, collectives);
  change([&] { runtime::apply(choices, plan); });
  const program::CostTable costs = runtime::workspace_costs(plan, device, channels);
  change([&] {
    // The same costs on all ranks make the same plan of the same plan.
    program::complete(plan, costs);
    program::require_sound(plan);
  });
}

std::vector<std::int64_t> training_epoch(const Setup& setup, std::int64_t epoch) {
  std::vector<std::int64_t> order = workloads::epoch_order(setup.which.seed, epoch, setup.training->size());
  order.resize(static_cast<std::size_t>(setup.batches() * setup.which.global_batch));
  return order;
}

std::vector<std::int64_t> training_order(const Setup& setup, std::int64_t steps) {
  const auto wanted = static_cast<std::size_t>(steps * setup.which.global_batch);
  std::vector<std::int64_t> order;
  order.reserve(wanted + static_cast<std::size_t>(setup.training->size()));  // too much fails at once
  for (std::int64_t epoch = 0; order.size() < wanted; ++epoch) {
    const std::vector<std::int64_t> more = training_epoch(setup, epoch);
    order.insert(order.end(), more.begin(), more.end());
  }
  order.resize(wanted);
  return order;
}

}  // namespace ddlbench::bench
