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

/// A loss became infinite or not a number: names step and rank.
class NonFinite : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// This rank's share of a step's metrics; the whole is the sum over ranks.
struct Share {
  double loss = 0;
  double correct = 0;
  double correct_top5 = 0;
  std::int64_t count = 0;  ///< labels of the global batch, the same on all ranks
};

/// Called with the share of each step once it is complete, in their order; the engine's timeline() is that step's
/// meanwhile.
using OnStep = std::function<void(const Share&)>;

/// One rank of a plan that trains: engine, input and the step's scalars. The same for every strategy.
class Trainer {
 public:
  /// `plan` is complete. Collective over all ranks.
  Trainer(const Setup& setup, const program::Plan& plan, kernels::Device& device, const runtime::Channels& channels);

  /// Weights and optimizer as they were before the first step: drawn, or of the checkpoint. Collective. Throws BadData.
  void initialize();
  void begin(runtime::Mode mode, std::vector<workloads::SampleDraw> order);
  /// The next batch of the order; false at its end. The device may still be at it on return, so that the batch after it
  /// is loaded meanwhile: a share is then told to a later call, to that of the order's end, or to finish(). Throws
  /// NonFinite naming phase, step and rank.
  bool advance(runtime::Mode mode, const std::string& phase, const OnStep& told);
  /// All steps are complete.
  void finish(const OnStep& told);
  /// The same of one step that is complete on return; nothing at the order's end.
  std::optional<Share> step(runtime::Mode mode, const std::string& phase);

  std::int64_t steps() const { return scalars_.step; }        ///< of training so far, a resumed checkpoint's included
  const graph::Scalars& scalars() const { return scalars_; }  ///< of the last step, and counts for the next
  const Fed& fed() const { return training_.fed(); }          ///< to the last step of training
  runtime::Engine& engine() { return engine_; }
  const runtime::Engine& engine() const { return engine_; }
  comm::Communicator& communicator() { return channels_.host; }  ///< of host memory
  /// What the loaders of this rank hold at most: training's or validation's, whose turns come one after the other.
  std::int64_t loader_bytes() const { return std::max(training_.loader_bytes(), validation_.loader_bytes()); }
  /// By what the plan's programs send.
  comm::SentBytes sent_bytes() const { return channels_.device.sent_bytes(); }
  const Setup& setup() const { return setup_; }
  const program::Plan& plan() const { return plan_; }
  int rank() const { return channels_.host.rank(); }

 private:
  /// A step that was put on the device, as far as the host knows it.
  struct Begun {
    std::int64_t step = 0;
    std::int64_t count = 0;
    std::string phase;
  };
  /// Of what becomes complete meanwhile.
  template <class Work>
  void tell(const OnStep& told, const Work& work);
  void note(runtime::Mode mode);

  const Setup& setup_;
  const program::Plan& plan_;
  runtime::Channels channels_;
  runtime::Engine engine_;
  std::deque<Begun> begun_;  ///< that are not known to be complete, in order
  const OnStep* told_ = nullptr;
  Feed training_;
  Feed validation_;
  Schedule schedule_;
  std::array<std::size_t, 3> training_metrics_;  ///< where loss, correct and correct_top5 stand among the metrics
  std::array<std::size_t, 3> validation_metrics_;
  graph::Scalars scalars_;
  runtime::Digests start_digests_ = runtime::Digests::checked;  ///< by the first initialize()
};

}  // namespace ddlbench::bench
