#pragma once

#include <vector>

#include "bench/case/pulse.h"
#include "bench/case/trainer.h"

namespace ddlbench::bench {

/// Trains the epochs from the initial weights, or those that a resumed checkpoint has left, with a validation after
/// each; tells `pulse` (null on all ranks but one) of each epoch, and saves it where it is to be saved. The records,
/// the same on every rank but for their times. Collective.
///
/// An epoch is every full batch of its order: a last partial one would be another step. Its seconds leave the
/// validation out, and those that elapsed leave out what was spent on saving; the loss is the mean over its steps.
/// Validation visits every sample once.
std::vector<EpochRecord> train_epochs(Trainer& trainer, Pulse* pulse);

}  // namespace ddlbench::bench
