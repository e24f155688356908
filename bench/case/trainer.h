#pragma once

#include <algorithm>
#include <array>
#include <deque>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/case/feed.h"
#include "bench/case/setup.h"
#include "bench/learning_rate/schedule.h"

namespace ddlbench::bench {

/// Thrown if a loss becomes infinite or NaN; names step and rank.
class NonFinite : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// This rank's share of a step's metrics; the sum over ranks is the metric.
struct Share {
  double loss = 0;
  double correct = 0;
  double correct_top5 = 0;
  std::int64_t count = 0;  ///< number of labels in the global batch, the same on all ranks
};

/// Called with the share of each step once the step is complete, in step order. During the call, the engine's
/// timeline() is that of this step.
using OnStep = std::function<void(const Share&)>;

/// Returns the learning rates of the experiment's steps.
Schedule schedule_of(const Setup& setup);

/// One rank of a plan in training: engine, input and the step's scalars. The same for every strategy.
class Trainer {
 public:
  /// `plan` must be complete. Collective over all ranks.
  Trainer(const Setup& setup, const program::Plan& plan, kernels::Device& device, const runtime::Channels& channels);

  /// Sets weights and optimizer state to those of Setup::start: drawn at random, or from training/checkpoint/load.
  /// Collective. Throws BadData.
  void initialize();
  /// Does the same with those of Setup::training_start().
  void initialize_training();
  /// Counts training steps from `steps` on. Call after the two above.
  void set_steps(std::int64_t steps);
  void begin(runtime::Mode mode, std::vector<workloads::SampleDraw> order);
  /// Begins a step on the next batch of the order; returns false at the end of the order. An asynchronous device may
  /// still be computing on return, while the following batch is loaded. In that case `told` of a later call receives
  /// the share: that of a later step, of the end of the order, or of finish(). Throws NonFinite naming phase, step and
  /// rank.
  bool advance(runtime::Mode mode, const std::string& phase, const OnStep& on_step);
  /// Waits until all steps are complete.
  void finish(const OnStep& on_step);
  /// Does one step and waits for it. Returns its share; nothing at the end of the order.
  std::optional<Share> step(runtime::Mode mode, const std::string& phase);

  std::int64_t steps() const { return scalars_.step; }        ///< training steps so far, resumed ones included
  const graph::Scalars& scalars() const { return scalars_; }  ///< of the last step, with the counters for the next one
  const HostBatch& fed() const { return training_.fed(); }    ///< the input of the last training step
  runtime::Engine& engine() { return engine_; }
  const runtime::Engine& engine() const { return engine_; }
  comm::Communicator& communicator() { return channels_.host; }  ///< for host memory
  /// Returns the peak bytes of this rank's loaders: the larger of training and validation, or both where validations
  /// interrupt an epoch, whose next batches remain loaded.
  std::int64_t loader_bytes() const;
  /// Returns the bytes sent by the plan's programs.
  comm::SentBytes sent_bytes() const { return channels_.device.sent_bytes(); }
  const Setup& setup() const { return setup_; }
  const program::Plan& plan() const { return plan_; }
  int rank() const { return channels_.host.rank(); }

 private:
  /// A step that was launched on the device and that the host does not know to be complete.
  struct InFlightStep {
    std::int64_t step = 0;
    std::int64_t count = 0;
    std::string phase;
  };
  /// Runs `work` and reports the shares of steps that complete during it to `told`.
  template <class Work>
  void with_callback(const OnStep& on_step, const Work& work);
  void note(runtime::Mode mode);

  const Setup& setup_;
  const program::Plan& plan_;
  runtime::Channels channels_;
  runtime::Engine engine_;
  std::deque<InFlightStep> in_flight_;  ///< launched steps that are not known to be complete, in order
  const OnStep* on_step_ = nullptr;
  Feed training_;
  Feed validation_;
  Schedule schedule_;
  std::array<std::size_t, 3> training_metrics_;  ///< indices of loss, correct and correct_top5 among the metrics
  std::array<std::size_t, 3> validation_metrics_;
  graph::Scalars scalars_;
  runtime::Digests start_digests_ = runtime::Digests::checked;  ///< set by the first initialize()
};

}  // namespace ddlbench::bench
