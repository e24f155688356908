#pragma once

#include <vector>

#include "bench/case/heartbeat.h"
#include "bench/case/trainer.h"

namespace ddlbench::bench {

/// Trains all epochs from the initial weights, or from those of a resumed checkpoint, and validates after each. Reports
/// each epoch to `pulse` (null on all ranks but rank 0) and saves it if the experiment asks for that. Returns the
/// epochs' records, which are the same on every rank except for their times. Collective.
///
/// An epoch consists of the full batches of its order: a last partial batch would be a different step. `epoch_seconds`
/// excludes validation, and `elapsed_seconds` excludes saving. The training loss is the mean over the epoch's steps.
/// Validation visits every sample once.
std::vector<EpochRecord> train_epochs(Trainer& trainer, Heartbeat* heartbeat);

}  // namespace ddlbench::bench
