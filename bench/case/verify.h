#pragma once

#include "bench/case/pulse.h"
#include "bench/case/trainer.h"
#include "runtime/certificate.h"

namespace ddlbench::bench {

/// Trains the first `steps` batches of `order` from the initial weights and records what a certificate
/// compares: whole on rank 0. Collective. `pulse` is null on all ranks but one.
runtime::Trace record_trace(Trainer& trainer, const std::vector<std::int64_t>& order, std::int64_t steps, Pulse* pulse);

/// What a case is held against: the strategy `single` on one rank, over the same samples, and once more
/// with the samples of each batch in another order. Where one rank has not the memory for it, it is missing.
struct Reference {
  std::string missing;  ///< why; empty where it is there
  runtime::Trace trace;
  runtime::Trace reordered;
};
Reference run_reference(const Setup& setup, std::int64_t steps, Pulse& pulse);

/// Writes a certificate into the case's measurement, with what failed in words.
void note_certificate(const runtime::Certificate& certificate, Measurement& measurement);

}  // namespace ddlbench::bench
