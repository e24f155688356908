#pragma once

#include <functional>

#include "bench/case/pulse.h"
#include "bench/case/trainer.h"
#include "runtime/certificate.h"

namespace ddlbench::bench {

/// Where a trace begins.
enum class Weights : std::uint8_t {
  initial,
  /// Each weight some units in the last place off, at random (of 16 bits: as it is used first): as much as the sum of a
  /// layer's products is off by rounding. What comes of it (a ReLU that falls on the other side of zero changes a
  /// gradient of a deep network by a percent) comes of any other order of summation, too.
  nudged,
};

/// Trains the first `steps` batches of `order` from the initial weights and records what a certificate
/// compares: whole on rank 0. Collective. `pulse` is null on all ranks but one.
runtime::Trace record_trace(Trainer& trainer, const std::vector<workloads::SampleDraw>& order, std::int64_t steps,
                            Pulse* pulse, Weights weights = Weights::initial);

/// Runs `use` with the strategy `single` on one rank, on the cores of all ranks of the case. Returns why it cannot be
/// run, which is the memory that it lacks; empty where it was.
std::string on_one_rank(const Setup& setup, const std::function<void(Trainer&)>& use);

/// What a case is held against: the strategy `single` on one rank, over the same samples, and once more from nudged
/// weights with the samples of each batch in another order. Where one rank has not the memory for it, it is missing.
struct Reference {
  std::string missing;  ///< why; empty where it is there
  runtime::Trace trace;
  runtime::Trace reordered;
};
Reference run_reference(const Setup& setup, std::int64_t steps, Pulse& pulse);

/// Writes a certificate into the case's measurement, with what failed in words.
void note_certificate(const runtime::Certificate& certificate, Measurement& measurement);

}  // namespace ddlbench::bench
