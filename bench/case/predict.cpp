#include "bench/case/predict.h"

#include <algorithm>
#include <chrono>
#include <optional>

#include "bench/case/channels.h"
#include "bench/case/collectives.h"
#include "bench/case/device_options.h"
#include "bench/case/feed.h"
#include "bench/case/gather.h"
#include "bench/case/rank_accounts.h"
#include "platform/bound_cores.h"

namespace ddlbench::bench {

double time_input(const Setup& setup, const program::Plan& plan, int rank) {
  constexpr int warm_up = 2, batches = 10;
  const auto& slots = plan.role(rank).train.inputs;
  if (slots.empty()) return 0;
  // Reading the values takes the most time, so a slot with values is preferred.
  const auto slot = std::min_element(slots.begin(), slots.end(), [](const auto& one, const auto& other) {
    return contents_of(one) < contents_of(other);
  });
  const auto loader = make_loader(setup.training, plan.global_batch, slices_of(plan, rank, *slot),
                                  loader_options(setup), contents_of(*slot));
  loader->begin(training_order(setup, warm_up + batches));
  for (int i = 0; i < warm_up; ++i) loader->next();
  const auto begin = runtime::Clock::now();
  for (int i = 0; i < batches; ++i) loader->next();
  return std::chrono::duration<double>(runtime::Clock::now() - begin).count() / batches;
}

CalibratedCase calibrate(const Setup& setup, const program::Plan& plan, int threads_per_rank, kernels::Device& device,
                         const runtime::Channels& channels, const program::CostTable& known,
                         const std::function<void()>& progress) {
  comm::Communicator& communicator = channels.host;
  runtime::CalibrationOptions options;
  options.at_once = setup.experiment.devices.derived.is_accelerator
                        ? setup.experiment.devices.derived.seen
                        : std::max(1, static_cast<int>(setup.cores.size()) / threads_per_rank);
  options.progress = progress;
  CalibratedCase calibrated{runtime::calibrate(plan, device, channels, known, options), {}, {}};
  for (int rank = 0; rank < plan.ranks(); ++rank) {
    calibrated.slowdowns.push_back(setup.experiment.devices.throttle.slowdown_of(rank));
  }
  double own = 0;
  for (int turn = 0; turn * options.at_once < plan.ranks(); ++turn) {
    comm::run(communicator.barrier());
    if (communicator.rank() / options.at_once == turn) own = time_input(setup, plan, communicator.rank());
  }
  for (const auto& seconds : all_gather<double>(communicator, {own})) calibrated.input_seconds.push_back(seconds.at(0));
  return calibrated;
}

namespace {

/// Calls visit(rank, action) for the instructions of all ranks' training programs.
void each_action(const program::Plan& plan, const auto& visit) {
  for (int rank = 0; rank < plan.ranks(); ++rank)
    for (const program::Instructions* section : program::sections(plan.role(rank).train))
      for (const program::Instruction& instruction : *section) visit(rank, instruction.action);
}

/// Returns the costs without those of collectives, which depend on the hosts and links that they were measured on.
program::CostTable costs_of_computations(const program::Plan& plan, const program::CostTable& all) {
  program::CostTable costs;
  each_action(plan, [&](int, const program::Action& action) {
    const auto* compute = std::get_if<program::Compute>(&action);
    if (compute == nullptr) return;
    const std::string key = program::cost_key(*compute);
    if (const program::OpCost* cost = all.find(key)) costs.insert(key, *cost);
  });
  return costs;
}

/// Returns `known` with a cost for each collective of the plan, so that none is timed.
program::CostTable with_collectives(const program::Plan& plan, program::CostTable known) {
  each_action(plan, [&](int rank, const program::Action& action) {
    const program::CollectiveCall* call = program::collective(action);
    if (call == nullptr) return;
    const std::size_t members = program::members(call->group, plan.meshes, rank).size();
    known.insert(program::cost_key(*call, static_cast<int>(members)), {0.0, 0});
  });
  return known;
}

}  // namespace

CalibratedCase calibrate_on_threads(const Setup& setup, program::Plan& plan, int threads_per_rank,
                                    const program::CostTable& known, Hosts hosts) {
  CalibratedCase calibrated;
  std::optional<collectives::Algorithm> algorithm = wanted_algorithm(setup.experiment.devices);
  if (!algorithm && hosts == Hosts::one_per_rank) algorithm = collectives::find_algorithm("ring");
  comm::WorldOptions options;
  if (hosts == Hosts::this_one) {  // otherwise only operators are timed
    options.throttle = setup.experiment.devices.throttle.link;
    options.throttle.stall = {};  // nothing is learned from waiting for it
  }
  comm::find_transport("threads").launch(plan.ranks(), options, [&](comm::Communicator& communicator) {
    const platform::BoundCores bound = bind_rank(setup, communicator.rank(), plan.ranks(), threads_per_rank);
    const auto device = make_device(setup, communicator.rank(), threads_per_rank);
    const auto channels = open_channels(setup, *device, communicator, options.timeout);
    complete(plan, *device, channels, Sharing::one_plan, {algorithm});
    const program::CostTable all = hosts == Hosts::one_per_rank ? with_collectives(plan, known) : known;
    CalibratedCase found = calibrate(setup, plan, threads_per_rank, *device, channels, all, nullptr);
    if (communicator.rank() == 0) calibrated = std::move(found);
  });
  return calibrated;
}

namespace {

simulator::Options options_of(const CalibratedCase& calibrated, const SimulatedSteps& steps) {
  simulator::Options options;
  options.steps = steps;
  options.start_seconds = calibrated.work.start_seconds;
  options.input_seconds = calibrated.input_seconds;
  return options;
}

simulator::Link link_of(double latency_seconds, double bytes_per_second) {
  simulator::Link link;
  link.latency_seconds = latency_seconds;
  if (bytes_per_second > 0) link.bytes_per_second = bytes_per_second;
  return link;
}

}  // namespace

SimulatedSteps steps_to_draw(const program::Plan& plan) {
  const auto filling = static_cast<int>(plan.cadence.fill.size());
  if (filling > 0) return {2 * filling + 2, true};
  const bool fills = std::any_of(plan.roles.begin(), plan.roles.end(),
                                 [](const program::Role& role) { return !role.train.prologue.empty(); });
  return {fills ? 2 : 1};
}

simulator::Simulation simulate(const program::Plan& plan, const CalibratedCase& calibrated, int threads_per_rank,
                               int cores, const SimulatedSteps& steps) {
  const simulator::Link link = link_of(calibrated.work.link_latency_seconds, calibrated.work.link_bytes_per_second);
  simulator::Cluster cluster = simulator::one_host(plan.ranks(), cores, threads_per_rank, link);
  cluster.slowdown_of_rank = calibrated.slowdowns;
  return simulator::simulate(plan, calibrated.work.costs, cluster, options_of(calibrated, steps));
}

simulator::Simulation simulate_on_hosts(const program::Plan& plan, const CalibratedCase& calibrated,
                                        int threads_per_rank, const comm::Throttle& link, const SimulatedSteps& steps) {
  simulator::Cluster cluster =
      simulator::hosts_of(plan.ranks(), 1, {}, link_of(link.latency_seconds, link.bytes_per_second));
  for (simulator::Host& host : cluster.hosts) host.cores = threads_per_rank;
  cluster.threads_per_rank = threads_per_rank;
  cluster.slowdown_of_rank = calibrated.slowdowns;
  const program::CostTable costs = costs_of_computations(plan, calibrated.work.costs);
  return simulator::simulate(plan, costs, cluster, options_of(calibrated, steps));
}

PredictionRecord to_record(const program::Plan& plan, const simulator::Simulation& simulation) {
  PredictionRecord record;
  record.step_seconds = simulation.step_seconds;
  const program::BudgetSplitter splitter(plan);
  const double share = 1.0 / (plan.ranks() * static_cast<double>(simulation.steps.size()));
  for (const auto& timelines : simulation.steps)
    for (const program::Budget& budget : splitter.split(timelines)) record.budget += budget * share;
  for (const program::Account& account : accounts_of(plan)) {
    record.peak_memory_bytes = std::max(record.peak_memory_bytes, account.peak_bytes);
  }
  return record;
}

}  // namespace ddlbench::bench
