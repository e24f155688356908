#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include "bench/case/case_state.h"
#include "bench/case/measure.h"
#include "bench/case/placement.h"
#include "bench/case/trainer.h"
#include "comm/communicator.h"
#include "kernels/device.h"
#include "platform/bound_cores.h"
#include "runtime/channels.h"

namespace ddlbench::bench {

/// The phases of a case on one rank, which is the calling thread. Rank 0 writes the measurement and tells the watcher.
/// Everything is collective.
class CaseOnRank {
 public:
  /// Binds the thread to the rank's cores as long as this lives, and makes its device and its channels, whose
  /// operations end after `timeout`. `state` is filled as far as it is before the launch. Throws Unsupported,
  /// InputError.
  CaseOnRank(CaseState& state, comm::Communicator& communicator, std::chrono::milliseconds timeout);

  /// The phases in their order; only those that certificates need, where the experiment wants these alone.
  void run();

 private:
  /// Completes the plan. Throws OutOfMemory where it does not fit.
  void bind();
  /// Whether there is a reference, and the memory to hold the case against it; notes why not.
  bool can_certify();
  /// Times the ranks' own work and predicts a step from it; where that is not possible, the log says why.
  void predict();
  /// Ends with the reference's trace: whole copies of weights and gradients, which training is not to carry along.
  void certify();
  /// Times steps, holds what they sent and took against the plan, and writes the trace of the first.
  void measure();
  /// All epochs.
  void train();
  void note_memory();

  /// That a phase begins or goes on, in which there are no steps.
  void enter(const char* phase);
  void write_trace(const std::vector<std::vector<MeasuredStep>>& ranks);
  /// How long training is going to take, from the steps that were measured, without validations.
  void expect_training();

  CaseState& state_;
  const Setup& setup_;
  Measurement& measurement_;
  comm::Communicator& communicator_;
  Pulse* pulse_;  ///< null on all ranks but the first
  platform::BoundCores bound_;
  std::unique_ptr<kernels::Device> device_;
  std::vector<PlacedDevice> placed_;
  runtime::OwnedChannels channels_;
  std::optional<Trainer> trainer_;  ///< once the step is predicted
};

}  // namespace ddlbench::bench
