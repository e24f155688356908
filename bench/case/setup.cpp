#include "bench/case/setup.h"

#include "bench/case/bound_cores.h"
#include "graph/error.h"
#include "program/check.h"
#include "program/passes.h"
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

Setup prepare(const Experiment& experiment, const Case& which) {
  const Choice& data = experiment.workload.dataset;
  const workloads::DatasetKind& dataset = workloads::find_dataset(data.kind);
  const graph::OptionValues data_options = graph::with_defaults(dataset.options, data.options);
  std::shared_ptr<const workloads::Dataset> training = dataset.open(data_options, workloads::Split::training);
  std::shared_ptr<const workloads::Dataset> validation = dataset.open(data_options, workloads::Split::validation);
  if (training->size() < which.global_batch) {
    throw InputError("a global batch of " + std::to_string(which.global_batch) + " samples is more than the " +
                     std::to_string(training->size()) + " training samples of the data set " + data.kind);
  }
  const Choice& net = experiment.workload.model;
  const workloads::ModelKind& model = workloads::find_model(net.kind);
  graph::Graph graph =
      model.build(training->shape(), which.global_batch, graph::with_defaults(model.options, net.options));
  return {experiment,          which,
          std::move(training), std::move(validation),
          std::move(graph),    make_optimizer(experiment.training.optimizer),
          allowed_cores()};
}

program::Plan compile(const Setup& setup, const Choice& strategy, int ranks) {
  const strategies::StrategyKind& kind = strategies::find_strategy(strategy.kind);
  const program::CostTable unknown;
  return kind.make(graph::with_defaults(kind.options, strategy.options))
      ->compile({setup.model, setup.which.global_batch, ranks, setup.optimizer, unknown});
}

void complete(program::Plan& plan, kernels::Device& device, comm::Communicator& communicator) {
  const program::CostTable costs = runtime::workspace_costs(plan, device, communicator);
  comm::run(communicator.barrier());  // all have read the plan
  if (communicator.rank() == 0) {
    program::complete(plan, costs);
    program::require_sound(plan);
  }
  comm::run(communicator.barrier());
}

std::vector<std::int64_t> training_epoch(const Setup& setup, std::int64_t epoch) {
  std::vector<std::int64_t> order = workloads::epoch_order(setup.which.seed, epoch, setup.training->size());
  order.resize(static_cast<std::size_t>(setup.batches() * setup.which.global_batch));
  return order;
}

std::vector<std::int64_t> training_order(const Setup& setup, std::int64_t steps) {
  const auto wanted = static_cast<std::size_t>(steps * setup.which.global_batch);
  std::vector<std::int64_t> order;
  for (std::int64_t epoch = 0; order.size() < wanted; ++epoch) {
    const std::vector<std::int64_t> more = training_epoch(setup, epoch);
    order.insert(order.end(), more.begin(), more.end());
  }
  order.resize(wanted);
  return order;
}

}  // namespace ddlbench::bench
