#pragma once

#include <vector>

#include "bench/case/pulse.h"
#include "bench/case/trainer.h"

namespace ddlbench::bench {

/// Trains all epochs from the initial weights, with a validation after each, and tells `pulse` (null on all
/// ranks but one) of each epoch. The records, the same on every rank but for their times. Collective.
///
/// An epoch is every full batch of its order: a last partial one would be another step. Its seconds leave
/// the validation out; the loss is the mean over its steps. Validation visits every sample once.
std::vector<EpochRecord> train_epochs(Trainer& trainer, Pulse* pulse);

}  // namespace ddlbench::bench
