#pragma once

#include "../record_fixtures.h"
#include "bench/page/run_results.h"

namespace ddlbench::test {

/// 2026-11-21T08:15:30Z in seconds since 1970.
inline constexpr double run_begin = 1795248930;

/// Returns a run of two cases that began at run_begin and run_begin + 100. The first trained two epochs of 2 s, each
/// followed by a validation of half a second, in the last five of its 20 seconds. The second failed before its first
/// epoch ended.
inline bench::RunResults trained_run(const std::string& folder = "out") {
  bench::Records records;
  records.cases = {finished_case("ddp", 2, 8, 0.1),
                   ended_case("tensor", 2, bench::Status::crashed, "killed by signal 11")};
  records.started = {{"ddp-r2", "2026-11-21T08:15:30Z"}, {"tensor-r2", "2026-11-21T08:17:10Z"}};
  for (int i = 1; i <= 2; ++i) {
    bench::EpochRecord epoch;
    epoch.case_id = "ddp-r2";
    epoch.epoch = i;
    epoch.epoch_seconds = 2;
    epoch.validation_seconds = 0.5;
    epoch.elapsed_seconds = 2.5 * i;
    epoch.train_loss = 0.5 / i;
    epoch.validation_loss = 0.75 / i;
    epoch.accuracy_ratio = 0.25 * i;
    records.epochs.push_back(epoch);
  }
  for (const double seconds : {0.0, 10.0, 20.0}) {
    bench::UtilisationRecord sample;
    sample.case_id = "ddp-r2";
    sample.elapsed_seconds = seconds;
    records.utilisation.push_back(sample);
  }
  return bench::results_of(folder, std::move(records));
}

/// Returns a validation of a quarter of a second within an epoch of that training.
inline bench::ValidationRecord validation_within(int epoch, double elapsed_seconds) {
  bench::ValidationRecord validation;
  validation.case_id = "ddp-r2";
  validation.epoch = epoch;
  validation.validation_seconds = 0.25;
  validation.elapsed_seconds = elapsed_seconds;
  return validation;
}

}  // namespace ddlbench::test
