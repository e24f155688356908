#pragma once

#include <optional>

#include "bench/case/heartbeat.h"
#include "bench/case/step_agreement.h"
#include "bench/case/trainer.h"

namespace ddlbench::bench {

/// The means over the validation samples, the same on all ranks but for the time.
struct Validation {
  double loss = 0;
  double accuracy = 0;
  double top5_accuracy = 0;
  double seconds = 0;
};

/// Validates on every sample once. The training's steps must have been drained. Returns nothing if rank 0 asks to stop
/// in `agreement`, which is null if nobody can. `heartbeat` is null on all ranks but rank 0. Collective.
std::optional<Validation> validate(Trainer& trainer, Heartbeat* heartbeat, StepAgreement* agreement);

}  // namespace ddlbench::bench
