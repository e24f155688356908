#pragma once

#include <string>
#include <vector>

#include "bench/page/run_results.h"

namespace ddlbench::bench {

/// Returns the trainings of these runs as lines of MLPerf's logging format
/// (https://github.com/mlcommons/logging, mlperf_logging/mllog): `:::MLLOG {"namespace", "time_ms", "event_type",
/// "key", "value", "metadata"}`. The namespace is the case's id, with several runs after the folder and a colon. The
/// metadata `file` and `lineno` name the row of cases.csv, epochs.csv or validations.csv that a value comes from.
///
/// Each case that completed a validation has, in this order: init_start; its settings (submission_benchmark,
/// submission_platform, seed, global_batch_size, gradient_accumulation_steps, opt_name, opt_base_learning_rate,
/// train_samples, eval_samples and others, each if it is known); init_stop; run_start; for each completed epoch
/// epoch_start, epoch_stop, eval_start, eval_accuracy, eval_stop, and the last three for each validation within an
/// epoch; run_stop, whose status is "success" if the case is ok and reached its target, if it has one, and otherwise
/// "aborted". Times are those of histories_of().
std::string mllog(const std::vector<RunResults>& runs);

}  // namespace ddlbench::bench
