#pragma once

#include <cstdint>
#include <vector>

#include "bench/case/estimate.h"
#include "bench/case/heartbeat.h"
#include "bench/case/trainer.h"
#include "program/budget.h"
#include "program/timeline.h"

namespace ddlbench::bench {

/// One measured step of one rank: its timeline, when the previous step ended, and whether the process was stopped since
/// then, as at the end of a time slice.
struct MeasuredStep {
  program::StepTimeline timeline;
  std::int64_t previous_end = 0;
  bool paused = false;
};

/// What this rank counted over all measured steps.
struct Counted {
  std::vector<MeasuredStep> steps;
  comm::SentBytes sent_bytes;
  double flops = 0;
  std::int64_t launches = 0;  ///< of ops
};

/// One rank's averages per step.
struct StepCounts {
  double flops = 0;
  double launches = 0;
};

/// Returns the number of steps that the case times: those of a visit, or repetitions × steps of `experiment.measure`,
/// rounded up to whole cycles.
std::int64_t timed_steps(const Setup& setup, const program::Cadence& cadence);

/// Returns the number of steps that the case trains before those: the warm-up steps of `experiment.measure`, and at
/// least the unsettled ones of the cadence.
std::int64_t untimed_steps(const Setup& setup, const program::Cadence& cadence);

/// Trains the untimed steps and then the timed steps, from the initial weights, with the bodies that follow the ramp of
/// the plan's cadence. Keeps every measured step's timeline in memory that is reserved beforehand. `pulse` is null on
/// all ranks but rank 0. Collective.
Counted run_measured_steps(Trainer& trainer, Heartbeat* heartbeat);

/// Returns the measured steps of all ranks, by rank; complete on every rank. Collective.
std::vector<std::vector<MeasuredStep>> gather_steps(comm::Communicator& communicator,
                                                    const std::vector<MeasuredStep>& own);
/// Returns the counts of all ranks, by rank. Collective.
std::vector<StepCounts> gather_counts(comm::Communicator& communicator, const Counted& own);

/// The step time and its breakdown. A step's wall time is the mean over ranks of its end minus the end of the previous
/// step; `step` estimates it, from the means of the cycles of the cadence in which no process was stopped. The budgets
/// are means over exactly those steps that the estimate uses, so each rank's parts sum to its wall time, and the parts
/// of `mean` sum to `step.value`.
struct StepTimes {
  Estimate step;
  std::vector<program::Budget> ranks;
  program::Budget mean;
};
StepTimes step_times(const program::Plan& plan, const std::vector<std::vector<MeasuredStep>>& ranks,
                     std::uint64_t seed);

}  // namespace ddlbench::bench
