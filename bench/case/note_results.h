#pragma once

#include <vector>

#include "bench/case/rank_accounts.h"
#include "bench/case/setup.h"
#include "bench/records/record.h"

namespace ddlbench::bench {

/// Copies the results of a case's measured steps into its measurement.
void note_steps(const Setup& setup, const MeasuredCase& measured, Measurement& measurement);

/// Copies the results of its epochs, of which there is at least one, into its measurement.
void note_epochs(const std::vector<EpochRecord>& epochs, Measurement& measurement);

}  // namespace ddlbench::bench
