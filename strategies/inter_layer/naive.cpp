#include "strategies/passes/schedule.h"

namespace ddlbench::strategies {

/// Each micro-batch passes through all stages, forward and backward, before the next one begins: only one rank works at
/// a time, the bubble is (p−1)/p, and one micro-batch is in flight.
ScheduleKind naive() {
  ScheduleKind kind{"naive", "model parallelism without a pipeline: one rank computes at a time", accumulate_schedule};
  kind.microbatches = 1;
  return kind;
}

}  // namespace ddlbench::strategies
