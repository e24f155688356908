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
#include "kernels/slowed_device.h"
#include "platform/bound_cores.h"
#include "runtime/channels.h"

namespace ddlbench::bench {

/// The phases of a case on one rank, run by the calling thread. Rank 0 fills in the measurement and reports progress.
/// Construction and run() are collective over the ranks of the case.
class CaseOnRank {
 public:
  /// Binds the calling thread to the rank's cores for the lifetime of this object, and creates the rank's device and
  /// its channels, whose operations time out after `timeout`. `state` must hold everything that is prepared before the
  /// launch. Throws Unsupported or InputError.
  CaseOnRank(CaseState& state, comm::Communicator& communicator, std::chrono::milliseconds timeout);

  /// Runs all phases in order, without training if the experiment says so; or only those that the certificate needs
  /// where it asks for certificates alone; or only the timed steps of a visit.
  void run();

 private:
  /// Completes the plan. Throws OutOfMemory if it does not fit.
  void bind();
  /// Returns whether there is a reference and enough memory to compare the case with it. Records the reason if not.
  bool can_certify();
  /// Makes the trainer, on the slowed device if this is the rank that devices/throttle slows down.
  void make_trainer();
  /// Times the ranks' own work and predicts the step time from it. If no prediction is possible, logs the reason.
  void predict();
  /// Compares the case with the reference. Frees the reference's trace afterwards: it holds full copies of weights and
  /// gradients, which should not occupy memory during training.
  void certify();
  /// Times steps, checks the bytes sent and the memory allocated against the plan, and writes the trace of the first
  /// step.
  void measure();
  /// Trains all epochs.
  void train();
  void note_memory();

  /// Reports that a phase without steps begins or continues.
  void enter(const char* phase);
  void write_trace(const std::vector<std::vector<MeasuredStep>>& ranks);
  /// Logs the expected duration of training, extrapolated from the measured steps, without validation.
  void expect_training();

  CaseState& state_;
  const Setup& setup_;
  Measurement& measurement_;
  comm::Communicator& communicator_;
  Heartbeat* heartbeat_;  ///< null on all ranks but rank 0
  platform::BoundCores bound_;
  std::unique_ptr<kernels::Device> device_;
  std::vector<PlacedDevice> placed_;
  runtime::OwnedChannels channels_;
  std::optional<kernels::SlowedDevice> slowed_;
  std::optional<Trainer> trainer_;  ///< set after the prediction
};

}  // namespace ddlbench::bench
