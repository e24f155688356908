#include "bench/case/predict.h"

#include <algorithm>

#include "bench/case/rank_accounts.h"

namespace ddlbench::bench {

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
                               int cores) {
  return simulator::simulate(plan, calibration.costs, cluster_of(calibration, plan.ranks(), threads_per_rank, cores),
                             simulation_options(calibration));
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
