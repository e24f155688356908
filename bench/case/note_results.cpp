#include "bench/case/note_results.h"

#include <fmt/core.h>
#include <algorithm>
#include <cmath>

#include "base/join.h"
#include "graph/flops.h"

namespace ddlbench::bench {
namespace {

void note_times(const Setup& setup, const StepTimes& times, Measurement& measurement) {
  measurement.repetitions = setup.experiment.measure.repetitions;
  measurement.step_seconds = times.step.value;
  measurement.step_seconds_low = times.step.low;
  measurement.step_seconds_high = times.step.high;
  measurement.samples_per_second = static_cast<double>(setup.which.global_batch) / times.step.value;
  measurement.flops_per_second = graph::training_flops(setup.model) / times.step.value;
  measurement.budget = times.mean;
}

/// Records the mean over ranks of their launches.
void note_launches(const std::vector<StepCounts>& counts, Measurement& measurement) {
  measurement.launches_per_rank_per_step = 0;
  for (const StepCounts& rank : counts)
    measurement.launches_per_rank_per_step += rank.launches / static_cast<double>(counts.size());
}

/// Records the bytes sent (mean over ranks) and the memory (maximum over ranks) that the ranks were checked against.
void note_accounts(const std::vector<program::Account>& accounts, Measurement& measurement) {
  double sent = 0;
  for (const program::Account& account : accounts) {
    sent += static_cast<double>(account.total_sent_bytes()) / static_cast<double>(accounts.size());
    measurement.peak_memory_bytes = std::max(measurement.peak_memory_bytes, account.peak_bytes);
  }
  measurement.sent_bytes_per_rank_per_step = static_cast<std::int64_t>(sent + 0.5);
}

double computing_seconds(const program::Budget& budget) {
  return budget.forward + budget.backward + budget.recompute;
}

/// Records the speeds of ranks that have equal work, in percent of the slowest. Stages of a pipeline run different ops,
/// whose times would say little about the ranks, even if their FLOPs are equal.
void note_rank_speeds(const program::Plan& plan, const MeasuredCase& measured, Measurement& measurement) {
  constexpr double negligible = 0.01;  // of the work
  const bool has_stages = std::any_of(plan.meshes.begin(), plan.meshes.end(),
                                      [](const program::Mesh& mesh) { return mesh.size_of("pipeline") > 1; });
  const double work = measured.counts.front().flops;
  const bool equal = std::all_of(measured.counts.begin(), measured.counts.end(), [&](const StepCounts& counts) {
    return std::abs(counts.flops - work) <= negligible * work;
  });
  if (plan.ranks() == 1 || has_stages || !equal) return;
  std::vector<double> seconds;
  for (const program::Budget& rank : measured.times.ranks) seconds.push_back(computing_seconds(rank));
  const auto [least, slowest] = std::minmax_element(seconds.begin(), seconds.end());
  if (*least <= 0) return;
  measurement.rank_speeds =
      joined(seconds, ",", [slowest = *slowest](double rank) { return fmt::format("{:.0f}", 100 * slowest / rank); });
}

void note_epoch_time(const std::vector<EpochRecord>& epochs, Measurement& measurement) {
  // The first epoch also warms caches up; it counts only if it is the only one.
  const std::size_t first = epochs.size() > 1 ? 1 : 0;
  double seconds = 0;
  for (std::size_t i = first; i < epochs.size(); ++i) seconds += epochs[i].epoch_seconds;
  measurement.epoch_seconds = seconds / static_cast<double>(epochs.size() - first);
  measurement.epoch_seconds_source = "measured";
}

/// Records the time of an epoch at the pace of all steps up to the target.
void extrapolate_epoch(const Setup& setup, const ValidationRecord& stopped, Measurement& measurement) {
  measurement.epoch_seconds =
      stopped.trained_seconds / static_cast<double>(stopped.step) * static_cast<double>(setup.batches());
  measurement.epoch_seconds_source = "extrapolated";
}

void note_final(const auto& validation, Measurement& measurement) {
  measurement.final_train_loss = validation.train_loss;
  measurement.final_validation_loss = validation.validation_loss;
  measurement.final_accuracy_ratio = validation.accuracy_ratio;
  measurement.final_perplexity = validation.perplexity;
  measurement.final_loss_scale = validation.loss_scale;
  measurement.skipped_steps = validation.skipped_steps;
}

}  // namespace

void note_steps(const Setup& setup, const program::Plan& plan, const MeasuredCase& measured, Measurement& measurement) {
  note_times(setup, measured.times, measurement);
  note_launches(measured.counts, measurement);
  note_accounts(measured.accounts, measurement);
  note_rank_speeds(plan, measured, measurement);
}

void note_training(const Setup& setup, const TrainingResult& result, Measurement& measurement) {
  measurement.steps_per_epoch = setup.batches();
  if (result.epochs.empty()) {
    extrapolate_epoch(setup, *result.stopped, measurement);
  } else {
    note_epoch_time(result.epochs, measurement);
  }
  if (result.stopped) {
    note_final(*result.stopped, measurement);
  } else {
    note_final(result.epochs.back(), measurement);
  }
}

}  // namespace ddlbench::bench
