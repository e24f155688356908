#pragma once

#include <cstdint>
#include <vector>

#include "bench/case/estimate.h"
#include "bench/case/pulse.h"
#include "bench/case/trainer.h"
#include "program/budget.h"
#include "program/timeline.h"

namespace ddlbench::bench {

/// One measured step of one rank: its timeline, and when the step before it ended.
struct MeasuredStep {
  program::StepTimeline timeline;
  std::int64_t previous_end = 0;
};

/// What this rank counted over the measured steps.
struct Counted {
  std::vector<MeasuredStep> steps;
  comm::SentBytes sent_bytes;
  double flops = 0;
  std::int64_t launches = 0;  ///< of ops
};

/// What one rank counted per step, on average.
struct StepCounts {
  double flops = 0;
  double launches = 0;
};

/// Trains `experiment.measure`'s warm-up and then its repetitions × steps from the initial weights, keeping
/// every step's timeline in memory reserved beforehand. Collective.
Counted run_measured_steps(Trainer& trainer, Pulse* pulse);

/// The same steps of all ranks, by rank. Collective; whole on every rank.
std::vector<std::vector<MeasuredStep>> gather_steps(comm::Communicator& communicator,
                                                    const std::vector<MeasuredStep>& own);
/// The counts of all ranks, by rank. Collective.
std::vector<StepCounts> gather_counts(comm::Communicator& communicator, const Counted& own);

/// Where the steps' time went. A step's wall time is the mean over ranks of its end less the end of the
/// one before; `step` estimates it, and the budgets are means over exactly the steps that the estimate
/// uses, so that each one's parts sum to the rank's wall time and their mean to `step.value`.
struct StepTimes {
  Estimate step;
  std::vector<program::Budget> ranks;
  program::Budget mean;
};
StepTimes step_times(const program::Plan& plan, const std::vector<std::vector<MeasuredStep>>& ranks,
                     std::uint64_t seed);

}  // namespace ddlbench::bench
