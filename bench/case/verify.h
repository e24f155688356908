#pragma once

#include <functional>

#include "bench/case/pulse.h"
#include "bench/case/reference.h"
#include "bench/case/trainer.h"
#include "platform/available_memory.h"

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
                            Pulse* pulse, const std::string& phase = "verify", Weights weights = Weights::initial);

/// How something is run on one rank.
struct OneRank {
  Choice single = {"single", {}};  ///< its options, such as micro-batches
  std::int64_t beside_bytes = 0;   ///< of the host's memory, that it takes beside engine and loader
  platform::MemoryProbe memory = platform::probe_memory;  ///< tells what is available
};

/// Runs `use` with the strategy `single` on one rank, on the cores of all ranks of the case. Returns why it cannot be
/// run, which is the memory that it lacks; empty where it was.
std::string on_one_rank(const Setup& setup, const std::function<void(Trainer&)>& use, const OneRank& how);

/// The one of the case, or of all cases of its contract: where the case names a file, it is read from there, or kept
/// there. Missing where it would take more memory (bench/case/certificate_memory.h) than `memory` tells.
Reference run_reference(const Setup& setup, std::int64_t steps, Pulse& pulse,
                        const platform::MemoryProbe& memory = platform::probe_memory);

}  // namespace ddlbench::bench
