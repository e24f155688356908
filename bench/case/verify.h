#pragma once

#include <functional>

#include "bench/case/heartbeat.h"
#include "bench/case/reference.h"
#include "bench/case/trainer.h"
#include "platform/available_memory.h"

namespace ddlbench::bench {

/// The initial weights of a trace.
enum class Weights : std::uint8_t {
  initial,
  /// Each weight is moved at random by a few units in the last place (with 16-bit weights: of the 16-bit value that the
  /// first step uses), about as far as rounding moves a layer's sums of products. The effects (a ReLU that falls on the
  /// other side of zero changes a gradient of a deep network by a percent) also occur with any other order of
  /// summation.
  nudged,
};

/// Returns the same batches with the samples of each shuffled, so that the same sums are computed in another order.
/// `group` samples, which share a batch statistic, stay together.
std::vector<workloads::SampleDraw> reordered_batches(const std::vector<workloads::SampleDraw>& order,
                                                     std::int64_t batch, std::int64_t group, std::uint64_t seed);

/// Changes the weights of a rank as Weights::nudged describes.
void nudge_weights(runtime::Engine& engine, int rank, std::uint64_t seed);

/// Returns the parameters, whole on rank 0: their f32 masters where they are used in 16 bits. Collective.
runtime::Tensors weights_of(const runtime::Engine& engine, comm::Communicator& communicator);

/// Returns whether a step so far has updated the weights. The same on all ranks.
bool has_updated(const runtime::Engine& engine);

/// Trains on the first `steps` batches of `order` from the initial weights and records what a certificate compares. The
/// trace is complete on rank 0. `pulse` is null on all ranks but one. `first` is added to the number of each step,
/// which determines the body of the plan's cadence. Collective.
runtime::Trace record_trace(Trainer& trainer, const std::vector<workloads::SampleDraw>& order, std::int64_t steps,
                            Heartbeat* heartbeat, const std::string& phase = "verify",
                            Weights weights = Weights::initial, std::int64_t first = 0);

/// Options of a run on one rank.
struct OneRank {
  Choice single = {"single", {}};  ///< options of the strategy, such as micro-batches
  std::int64_t extra_bytes = 0;    ///< host memory that `use` needs in addition to engine and loader
  platform::MemoryProbe memory = platform::probe_memory;  ///< reports the available host memory
  std::function<void()> progress = {};                    ///< called while kernels are chosen
};

/// Receives a completed plan of one rank, and its device and communicator.
using UseOnOneRank = std::function<void(const program::Plan&, kernels::Device&, comm::Communicator&)>;

/// Completes a plan of one rank on the cores of all ranks of the case, and calls `use`. Returns why that is impossible,
/// which is a lack of memory; empty if `use` was called.
std::string on_one_rank(const Setup& setup, program::Plan plan, const UseOnOneRank& use, const OneRank& how);

/// Calls `use` with a trainer of the strategy `single` on one rank, on the cores of all ranks of the case. Returns why
/// that is impossible, which is a lack of memory; empty if `use` was called.
std::string on_one_rank(const Setup& setup, const std::function<void(Trainer&)>& use, const OneRank& how);

/// Returns the reference of the case, which is the same for all cases with its contract. If the case names a file,
/// reads the reference from it, or stores it there. The reference is missing if it would need more memory
/// (bench/case/certificate_memory.h) than `memory` reports.
Reference run_reference(const Setup& setup, std::int64_t steps, Heartbeat& heartbeat,
                        const platform::MemoryProbe& memory = platform::probe_memory);

}  // namespace ddlbench::bench
