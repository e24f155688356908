#pragma once

#include <optional>
#include <string>

#include "bench/page/run_results.h"
#include "bench/statistics/interval.h"
#include "bench/statistics/verdict.h"

namespace ddlbench::bench {

/// What can make the times of a contract differ between two runs of the same program. All intervals are of ratios.
struct RunNoise {
  std::optional<Interval> old_control, new_control;  ///< of the two copies of the baseline, in each run
  /// Of the times that the speed probes took, before the visits of the new run to those of the old one: whether the
  /// machine itself was slower.
  std::optional<Interval> compute_probe, memory_probe;
};

/// Returns the noise of a contract that both runs have; empty where a run has no rounds. The times of the probes are
/// compared by the medians of their rounds.
RunNoise noise_of(const RunResults& old_run, const RunResults& new_run, const std::string& contract_id);

/// Returns what a claim about the contract has to exceed: the largest of `margin` (a ratio less 1, 0.02) and of what
/// each interval of the noise reaches. No difference counts as equal if a probe's time differs by more than the margin,
/// because then another speed of the machine may hide a difference.
LogMargins margins_of(const RunNoise& noise, double margin);

/// Returns the largest difference in an interval of ratios, as a ratio less 1.
double reach(const Interval& ratio);

}  // namespace ddlbench::bench
