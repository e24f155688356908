#pragma once

#include <optional>
#include <vector>

#include "bench/case/heartbeat.h"
#include "bench/case/trainer.h"

namespace ddlbench::bench {

/// What a training of at least one step showed, the same on every rank except for times.
struct TrainingResult {
  std::vector<EpochRecord> epochs;          ///< the whole epochs that were trained
  std::optional<ValidationRecord> stopped;  ///< the validation within an epoch that ended the training
};

/// Trains from the initial weights, or from those of a resumed checkpoint, to the last epoch or, if the experiment asks
/// for that, to the target. Validates after each epoch and, if asked for, within epochs. Reports each validation to
/// `heartbeat` (null on all ranks but rank 0) and saves what the experiment asks for. Collective.
///
/// An epoch consists of the full batches of its order: a last partial batch would be a different step. `epoch_seconds`
/// excludes validations, and `elapsed_seconds` excludes saving. The training loss is the mean over the epoch's steps.
/// Validation visits every sample once.
TrainingResult train_epochs(Trainer& trainer, Heartbeat* heartbeat);

}  // namespace ddlbench::bench
