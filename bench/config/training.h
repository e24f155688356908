#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/option.h"
#include "bench/config/target.h"
#include "bench/learning_rate/schedule.h"
#include "graph/ops/loss_scale_kinds.h"
#include "graph/ops/optimizers/kind.h"

namespace ddlbench::bench {

/// What a training saves, and what it starts from.
struct CheckpointSettings {
  std::string save = {};  ///< a folder; empty: nothing is saved
  std::int64_t every_epochs = 1;
  std::int64_t every_steps = 0;   ///< 0: by steps, nothing is saved within an epoch
  double every_seconds = 0;       ///< 0: by time, nothing is saved within an epoch
  std::string load = {};          ///< a file; empty: initial weights are drawn
  bool resume = false;            ///< whether to continue the training that saved the file
  std::string strip_prefix = {};  ///< of all names in the file; left out before they are compared with the model's
};

template <class Visitor>
void describe(Visitor& v, CheckpointSettings& c) {
  v("save", c.save,
    "Folder in which each case saves its weights and optimizer state as safetensors; created if missing.");
  v("every_epochs", c.every_epochs, Range{1, 100000}, "Epochs between two saves; the last epoch is always saved.");
  v("every_steps", c.every_steps, Range{0, 1e9},
    "Also saves within epochs, each time after this many training steps; only the newest such file remains; 0: not by "
    "steps.");
  v("every_seconds", c.every_seconds, Range{0},
    "Also saves when this many seconds have passed since the last save; only the newest such file remains; 0: not by "
    "time.");
  v("load", c.load, "Safetensors file of initial weights, used instead of random ones.");
  v("resume", c.resume, "Resumes the training of `load`, including its optimizer state, epochs and steps.");
  v("strip_prefix", c.strip_prefix,
    "Prefix of all names in `load`, such as \"module.\", that the model's names lack; only for weights of another "
    "program.");
}

/// Settings of the training, the same for every strategy.
struct Training {
  std::int64_t epochs = 1;
  std::vector<std::uint64_t> seed = {1};  ///< a sweep
  std::string precision = "fp32";
  Choice loss_scale = {"dynamic", {}};  ///< for fp16
  Choice optimizer;
  RateSettings rate;
  double clip_norm = 0;  ///< largest norm of the gradients of a step; 0: no limit
  std::string loss = "cross_entropy";
  double label_smoothing = 0;
  Target target;
  bool stop_at_target = false;
  CheckpointSettings checkpoint;

  double learning_rate() const { return value_of<double>(optimizer.options, "learning_rate"); }
};

template <class Visitor>
void describe(Visitor& v, Training& t) {
  v("epochs", t.epochs, Range{1, 100000}, "Passes over the training samples.");
  v("seed", t.seed, Range{0, 9007199254740991.0}, "Seed of the initial weights and the sample order.");
  v.sweep(
      "precision", t.precision, v.choices({"fp32", "tf32", "bf16", "fp16"}),
      "Type of weights, activations and gradients; `tf32`: fp32, but a GPU rounds the operands of products to 10 bits; "
      "`bf16`, `fp16`: 16 bits, with sums, statistics and the optimizer in fp32.");
  v.sweep("loss_scale", t.loss_scale, v.one_of("loss scale", &graph::loss_scale_kinds),
          "Factor on the loss in `fp16`, which keeps gradients within its range; a step whose gradients still overflow "
          "is skipped.");
  v.sweep("optimizer", t.optimizer, v.one_of("optimizer", &graph::optimizer_kinds), "Optimizer and its settings.");
  describe(v, t.rate);
  v.sweep("clip_norm", t.clip_norm, Range{0},
          "Maximum norm of all gradients together; larger gradients are scaled down to it; 0: no limit.");
  v("loss", t.loss, v.choices({"cross_entropy", "mean_squared_error"}), "Loss function to minimise.");
  v.sweep("label_smoothing", t.label_smoothing, Range{0, 0.999999},
          "Share of the target probability that is spread evenly over all classes.");
  v("target", t.target, "Goal for the validation; if both loss and accuracy are given, both must be reached.");
  v("stop_at_target", t.stop_at_target,
    "Ends a case's training when it reaches `target`; false: it trains all epochs.");
  v("checkpoint", t.checkpoint, "Checkpoints to save and to load.");
}

}  // namespace ddlbench::bench
