#pragma once

#include <optional>
#include <stdexcept>
#include <vector>

#include "bench/case/heartbeat.h"
#include "bench/case/trainer.h"

namespace ddlbench::bench {

/// Thrown if a training was asked to stop, after its checkpoint is saved; names step, epoch and checkpoint.
class Interrupted : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// What a training showed, the same on every rank except for times.
struct TrainingResult {
  std::vector<EpochRecord> epochs;          ///< the whole epochs that were trained
  std::optional<ValidationRecord> stopped;  ///< the validation within an epoch that ended the training
};

/// Trains from the initial weights, or from those of a resumed checkpoint, to the last epoch or, if the experiment asks
/// for that, to the target. Validates after each epoch and, if asked for, within epochs. Reports each validation to
/// `heartbeat` (null on all ranks but rank 0) and saves what the experiment asks for. If Case::stop_file exists, saves
/// a checkpoint after the present step, or that of the step before the present validation, and throws Interrupted on
/// all ranks. Collective.
///
/// A checkpoint holds what was trained before the validation that is due after its step. A training that continues from
/// it begins with that validation, unless the experiment itself resumes from the end of an epoch
/// (training/checkpoint/resume). It has the losses, records and weights of an uninterrupted training, to the bit if it
/// runs on as many ranks. On another number of ranks the sum of the epoch's losses so far is rank 0's.
///
/// An epoch consists of the full batches of its order: a last partial batch would be a different step. `epoch_seconds`
/// excludes validations, and `elapsed_seconds` excludes saving. The training loss is the mean over the epoch's steps.
/// Times and losses include those before a resumed checkpoint. Validation visits every sample once.
TrainingResult train_epochs(Trainer& trainer, Heartbeat* heartbeat);

}  // namespace ddlbench::bench
