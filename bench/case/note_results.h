#pragma once

#include <vector>

#include "bench/case/rank_accounts.h"
#include "bench/case/setup.h"
#include "bench/records/record.h"

namespace ddlbench::bench {

/// Writes what was measured of a case's steps into its measurement.
void note_steps(const Setup& setup, const MeasuredCase& measured, Measurement& measurement);

/// Writes what came of its epochs, of which there is one at least, into its measurement.
void note_epochs(const std::vector<EpochRecord>& epochs, Measurement& measurement);

}  // namespace ddlbench::bench
