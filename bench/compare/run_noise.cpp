#include "bench/compare/run_noise.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "bench/statistics/moments.h"
#include "bench/statistics/two_samples.h"

namespace ddlbench::bench {
namespace {

using Probe = double VisitRecord::*;

std::optional<Interval> control_of(const RunResults& run, const std::string& contract_id) {
  for (const Ranking& ranking : run.rankings) {
    if (ranking.contract_id == contract_id && ranking.verdicts) return ranking.verdicts->control();
  }
  return std::nullopt;
}

/// Returns the logarithm of the median time of a probe in each round of the contract.
std::vector<double> log_probe_times(const RunResults& run, const std::string& contract_id, Probe probe) {
  std::set<std::string> cases;
  for (const CaseRow& row : run.rows) {
    if (row.record.contract_id == contract_id) cases.insert(row.record.case_id);
  }
  std::map<int, std::vector<double>> by_round;
  for (const VisitRecord& visit : run.records.visits) {
    if (cases.contains(visit.case_id) && visit.*probe > 0) by_round[visit.round].push_back(std::log(visit.*probe));
  }
  std::vector<double> medians;
  for (const auto& [round, times] : by_round) medians.push_back(median(times));
  return medians;
}

std::optional<Interval> compare_probe(const RunResults& old_run, const RunResults& new_run,
                                      const std::string& contract_id, Probe probe) {
  const std::vector<double> before = log_probe_times(old_run, contract_id, probe);
  const std::vector<double> after = log_probe_times(new_run, contract_id, probe);
  if (before.empty() || after.empty()) return std::nullopt;
  const Interval logarithm = shift(before, after, 0);
  return Interval{std::exp(logarithm.value), std::exp(logarithm.low), std::exp(logarithm.high)};
}

}  // namespace

RunNoise noise_of(const RunResults& old_run, const RunResults& new_run, const std::string& contract_id) {
  return {control_of(old_run, contract_id), control_of(new_run, contract_id),
          compare_probe(old_run, new_run, contract_id, &VisitRecord::compute_probe_seconds),
          compare_probe(old_run, new_run, contract_id, &VisitRecord::memory_probe_seconds)};
}

double reach(const Interval& ratio) {
  return std::max(ratio.high, 1 / ratio.low) - 1;
}

LogMargins margins_of(const RunNoise& noise, double margin) {
  LogMargins margins{std::log1p(margin), std::log1p(margin)};
  for (const auto& ratio : {noise.old_control, noise.new_control, noise.compute_probe, noise.memory_probe}) {
    if (ratio) margins.claim = std::max(margins.claim, std::log1p(reach(*ratio)));
  }
  for (const auto& probe : {noise.compute_probe, noise.memory_probe}) {
    if (probe && std::abs(std::log(probe->value)) > std::log1p(margin)) margins.equality = 0;
  }
  return margins;
}

}  // namespace ddlbench::bench
