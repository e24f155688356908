#pragma once

#include "bench/case/rank_accounts.h"
#include "bench/case/setup.h"
#include "bench/case/train.h"
#include "bench/records/record.h"

namespace ddlbench::bench {

/// Copies the results of a case's measured steps into its measurement.
void note_steps(const Setup& setup, const program::Plan& plan, const MeasuredCase& measured, Measurement& measurement);

/// Copies the results of its training into its measurement.
void note_training(const Setup& setup, const TrainingResult& result, Measurement& measurement);

}  // namespace ddlbench::bench
