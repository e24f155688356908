#include "bench/case/predict.h"

#include <algorithm>

#include "bench/case/bound_cores.h"
#include "bench/case/rank_accounts.h"
#include "bench/case/setup.h"

namespace ddlbench::bench {

runtime::Calibration calibrate(const program::Plan& plan, kernels::Device& device, comm::Communicator& communicator,
                               int threads_per_rank, int cores, const std::function<void()>& progress) {
  runtime::CalibrationOptions options;
  options.at_once = std::max(1, cores / threads_per_rank);
  options.progress = progress;
  return runtime::calibrate(plan, device, communicator, {}, options);
}

runtime::Calibration calibrate_on_threads(program::Plan& plan, const std::string& device_kind, int threads_per_rank,
                                          const std::vector<int>& cores) {
  runtime::Calibration calibration;
  comm::find_transport("threads").launch(plan.ranks(), {}, [&](comm::Communicator& communicator) {
    const BoundCores bound(cores, communicator.rank() * threads_per_rank, threads_per_rank);
    const auto device = kernels::make_device(device_kind, {threads_per_rank});
    complete(plan, *device, communicator, Sharing::one_plan);
    const auto found =
        calibrate(plan, *device, communicator, threads_per_rank, static_cast<int>(cores.size()), nullptr);
    if (communicator.rank() == 0) calibration = found;
  });
  return calibration;
}

simulator::Cluster cluster_of(const runtime::Calibration& calibration, int ranks, int threads_per_rank, int cores) {
  simulator::Link link;
  link.latency_seconds = calibration.link_latency_seconds;
  if (calibration.link_bytes_per_second > 0) link.bytes_per_second = calibration.link_bytes_per_second;
  return simulator::one_host(ranks, cores, threads_per_rank, link);
}

simulator::Options simulation_options(const runtime::Calibration& calibration) {
  simulator::Options options;
  options.start_seconds = calibration.start_seconds;
  options.copy_bytes_per_second = calibration.copy_bytes_per_second;
  return options;
}

simulator::Simulation simulate(const program::Plan& plan, const runtime::Calibration& calibration, int threads_per_rank,
                               int cores, int steps) {
  simulator::Options options = simulation_options(calibration);
  options.steps = steps;
  return simulator::simulate(plan, calibration.costs, cluster_of(calibration, plan.ranks(), threads_per_rank, cores),
                             options);
}

PredictionRecord to_record(const program::Plan& plan, const simulator::Simulation& simulation) {
  PredictionRecord record;
  record.step_seconds = simulation.step_seconds;
  program::Budget mean;
  for (const program::Budget& budget : program::split(plan, simulation.timelines)) {
    mean += budget * (1.0 / plan.ranks());
  }
  record.budget = to_record(mean);
  for (const program::Account& account : accounts_of(plan)) {
    record.peak_memory_bytes = std::max(record.peak_memory_bytes, account.peak_bytes);
  }
  return record;
}

}  // namespace ddlbench::bench
