#include "bench/case/setup.h"

#include <fmt/core.h>
#include <limits>
#include <numeric>
#include <ostream>
#include <utility>

#include "base/error.h"
#include "base/printable.h"
#include "bench/case/compile_for.h"
#include "bench/case/kernel_choices.h"
#include "bench/case/plan_agreement.h"
#include "bench/case/precision.h"
#include "comm/all_gather.h"
#include "graph/byte_inputs.h"
#include "platform/bound_cores.h"
#include "program/check.h"
#include "program/passes.h"
#include "runtime/collectives.h"
#include "runtime/engine.h"
#include "strategies/strategy.h"
#include "workloads/corrupt.h"
#include "workloads/model.h"

namespace ddlbench::bench {
namespace {

graph::Optimizer make_optimizer(const Training& training) {
  graph::Guard guard;
  guard.max_norm = static_cast<float>(training.clip_norm);
  guard.skip_overflow = training.precision == "fp16";
  const graph::LossScaling scaling =
      guard.skip_overflow ? graph::make_loss_scaling(training.loss_scale) : graph::LossScaling{};
  return graph::make_optimizer(training.optimizer, guard, scaling);
}

workloads::LossChoice loss_of(const Training& training) {
  using Kind = workloads::LossChoice::Kind;
  return {training.loss == "mean_squared_error" ? Kind::mean_squared_error : Kind::cross_entropy,
          static_cast<float>(training.label_smoothing)};
}

/// Throws InputError if a data set has more samples than a batch can index.
void require_countable(const workloads::Dataset& dataset, const std::string& kind) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  if (dataset.size() > most) {
    throw InputError(
        fmt::format("the data set {} has {} samples, more than the limit of {}; use fewer or larger samples", kind,
                    dataset.size(), most));
  }
}

std::shared_ptr<const workloads::Dataset> sound(std::shared_ptr<const workloads::Dataset> dataset,
                                                const std::string& which, std::ostream* told) {
  const workloads::FilteredDataset kept =
      workloads::without_corrupt(std::move(dataset), static_cast<int>(platform::allowed_cores().size()));
  if (told != nullptr && !kept.left_out.empty()) *told << workloads::describe(kept, which) << std::endl;
  return kept.dataset;
}

}  // namespace

Data open_data(const Experiment& experiment, std::ostream* told) {
  const Choice& choice = experiment.workload.dataset;
  const workloads::DatasetKind& kind = workloads::find_dataset(choice.kind);
  const OptionValues options = with_defaults(kind.options, choice.options);
  Data data{kind.open(options, workloads::Split::training), kind.open(options, workloads::Split::validation)};
  for (const auto& dataset : {data.training, data.validation}) {
    require_countable(*dataset, choice.kind);
    if (const std::string remark = dataset->remark(); told != nullptr && !remark.empty())
      *told << printable(remark) << std::endl;
  }
  const workloads::SampleShape& training = data.training->shape();
  const workloads::SampleShape& validation = data.validation->shape();
  if (training.sample != validation.sample || training.label != validation.label) {
    throw workloads::BadData(
        fmt::format("the training samples are {}, but the validation samples {}: they do not belong together",
                    graph::to_string(training.sample), graph::to_string(validation.sample)));
  }
  const graph::Normalisation *first = data.training->normalisation(), *second = data.validation->normalisation();
  const bool alike = first == nullptr || second == nullptr ? first == second : *first == *second;
  require(alike, "a data set normalises its splits alike");
  if (experiment.workload.loader.skips_corrupt()) {
    data = {sound(std::move(data.training), "training", told), sound(std::move(data.validation), "validation", told)};
  }
  return data;
}

std::int64_t Setup::validation_batches() const {
  return (validation->size() + which.global_batch - 1) / which.global_batch;
}

bool Setup::validates_within_epoch(std::int64_t step) const {
  const std::int64_t every = experiment.training.target.every_steps;
  return every > 0 && step % every == 0 && step % batches() != 0;
}

std::int64_t Setup::validations() const {
  const std::int64_t first = training_start().steps, last = experiment.training.epochs * batches();
  const std::int64_t at_ends = experiment.training.epochs - training_start().epochs;
  const std::int64_t every = experiment.training.target.every_steps;
  if (every == 0) return at_ends;
  const std::int64_t both = std::lcm(every, batches());
  const std::int64_t repeated = validates_within_epoch(first) ? 1 : 0;
  return at_ends + (last / every - first / every) - (last / both - first / both) + repeated;
}

Setup prepare(const Experiment& experiment, const Case& which, Data data) {
  if (data.training->size() < which.global_batch) {
    throw InputError(
        fmt::format("a global batch of {} samples is more than the {} training samples of the data set {}; use a "
                    "global batch of at most this",
                    which.global_batch, data.training->size(), experiment.workload.dataset.kind));
  }
  const Choice& net = experiment.workload.model;
  const workloads::ModelKind& model = workloads::find_model(net.kind);
  const OptionValues options = with_defaults(model.options, net.options);
  graph::Graph graph = model.build({data.training->shape(), which.global_batch, options, loss_of(experiment.training)});
  if (graph.with_role(graph::Role::parameter).empty())
    throw InputError("the model '" + graph.name + "' has no parameters: there is nothing to train");
  const graph::DType stored = stored_type(experiment.training.precision);
  const graph::Normalisation* normalisation = data.training->normalisation();
  const bool takes_bytes = normalisation != nullptr && kernels::asynchronous(experiment.devices.kind);
  graph = takes_bytes ? graph::with_byte_inputs(graph, *normalisation, stored) : graph::in_precision(graph, stored);
  graph::FileNames names = model.names_in_files(graph, options);
  Setup setup{experiment,
              which,
              std::move(data.training),
              std::move(data.validation),
              std::move(graph),
              make_optimizer(experiment.training),
              platform::allowed_cores(),
              std::move(names),
              {},
              {}};
  setup.start = find_start(setup);
  setup.resumed = find_resumed(setup);
  return setup;
}

Setup prepare(const Experiment& experiment, const Case& which) {
  return prepare(experiment, which, open_data(experiment));
}

namespace {

program::Plan compile(const Setup& setup, const Choice& strategy, int ranks, const program::CostTable& profile,
                      std::int64_t batch) {
  return compile_for(setup.experiment.devices.kind, setup.experiment.training.precision, setup.model, batch,
                     setup.optimizer, strategy, ranks, profile);
}

}  // namespace

program::Plan compile_part(const Setup& setup, const Choice& strategy, std::int64_t samples) {
  return compile(setup, strategy, 1, {}, samples);
}

program::Plan compile(const Setup& setup, const Choice& strategy, int ranks, const program::CostTable& profile) {
  program::Plan plan = compile(setup, strategy, ranks, profile, setup.which.global_batch);
  if (!profile.all().empty()) plan.choices.push_back("times: from this machine's profile");
  return plan;
}

namespace {

/// Throws InputError unless all ranks want the same channel block. Ranks that compile plans of their own must use the
/// same tensor layout, because one reads what another sends. All ranks use the same precision, so comparing the block
/// of one precision suffices.
void require_one_channel_block(const kernels::Device& device, comm::Communicator& communicator) {
  const std::vector<std::int64_t> own{kernels::channel_block(device.kind(), graph::DType::f32)};
  const auto of_ranks = comm::all_gather(communicator, own);
  for (std::size_t rank = 0; rank < of_ranks.size(); ++rank) {
    if (of_ranks[rank] == of_ranks[0]) continue;
    throw InputError(
        fmt::format("the processor of rank {} uses channel blocks of {}, but that of rank 0 uses blocks of {}: run all "
                    "ranks of a case on the same kind of machine",
                    rank, of_ranks[rank][0], of_ranks[0][0]));
  }
}

}  // namespace

Chosen complete(program::Plan& plan, kernels::Device& device, const runtime::Channels& channels, Sharing sharing,
                const CollectivesWanted& wanted, const std::function<void()>& progress) {
  comm::Communicator& communicator = channels.host;
  if (sharing == Sharing::own_plan) {
    require_one_channel_block(device, communicator);
    require_equal_plans(plan, communicator);
  }
  // Ranks that share the plan have read it before it is changed, and read it again afterwards.
  const auto change = [&](const auto& how) {
    comm::run(communicator.barrier());
    if (sharing == Sharing::own_plan || communicator.rank() == 0) how();
    comm::run(communicator.barrier());
  };
  const std::function<void()> none, &told = communicator.rank() == 0 ? progress : none;
  Chosen chosen;
  chosen.collectives = wanted.choices.empty()
                           ? runtime::choose_collectives(plan, device, channels, wanted.algorithm, told)
                           : wanted.choices;
  change([&] { runtime::apply(chosen.collectives, plan); });
  chosen.peculiar_kernels = choose_kernels(plan, device, communicator, progress);
  const program::CostTable costs = runtime::workspace_costs(plan, device, channels);
  if (told) told();
  change([&] {
    // Equal costs on all ranks turn equal plans into equal plans.
    program::complete(plan, costs);
    program::require_sound(plan);
  });
  return chosen;
}

std::vector<workloads::SampleDraw> training_epoch(const Setup& setup, std::int64_t epoch, std::int64_t done) {
  std::vector<std::int64_t> order = workloads::epoch_order(setup.which.seed, epoch, setup.training->size());
  order.resize(static_cast<std::size_t>(setup.batches() * setup.which.global_batch));
  order.erase(order.begin(), order.begin() + done * setup.which.global_batch);
  return workloads::epoch_draws(setup.which.seed, epoch, order);
}

std::vector<workloads::SampleDraw> training_order(const Setup& setup, std::int64_t steps) {
  const auto wanted = static_cast<std::size_t>(steps * setup.which.global_batch);
  std::vector<workloads::SampleDraw> order;
  order.reserve(wanted + static_cast<std::size_t>(setup.training->size()));  // fails immediately if this is too much
  std::int64_t done = setup.start.steps - setup.start.epochs * setup.batches();
  for (std::int64_t epoch = setup.start.epochs; order.size() < wanted; ++epoch) {
    const std::vector<workloads::SampleDraw> more = training_epoch(setup, epoch, std::exchange(done, 0));
    order.insert(order.end(), more.begin(), more.end());
  }
  order.resize(wanted);
  return order;
}

}  // namespace ddlbench::bench
