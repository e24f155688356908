#pragma once

#include <string>
#include <vector>

#include "bench/page/run_results.h"

namespace ddlbench::bench {

/// Writes an event file of TensorBoard for each case that completed an epoch, to FOLDER/CASE/, with several runs to
/// FOLDER/RUN/CASE/, where RUN is the run's folder with other characters than letters, digits, '.', '_' and '-'
/// replaced. The scalars train/loss, validation/loss, validation/accuracy and epoch_seconds have the number of the
/// epoch as step, and the time of histories_of(). The same results give the same files, which replace those of an
/// earlier call. Throws InputError if a file cannot be written, or if two runs have the same RUN.
void write_tensorboard(const std::vector<RunResults>& runs, const std::string& folder);

}  // namespace ddlbench::bench
