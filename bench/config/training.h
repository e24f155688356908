#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/option.h"
#include "bench/learning_rate/schedule.h"
#include "graph/ops/loss_scale_kinds.h"
#include "graph/ops/optimizers/kind.h"

namespace ddlbench::bench {

/// The target of a training, measured by validation. If both are given, both must be reached.
struct Target {
  std::optional<double> loss;      ///< at most this
  std::optional<double> accuracy;  ///< at least this share of the samples
};

template <class Visitor>
void describe(Visitor& v, Target& t) {
  v("loss", t.loss, Range{0, {}, true}, "Reached by a validation loss of at most this.");
  v("accuracy", t.accuracy, Range{0, 1, true}, "Reached when at least this share of the validation samples is right.");
}

/// What a training saves, and what it starts from.
struct CheckpointSettings {
  std::string save;  ///< a folder; empty: nothing is saved
  std::int64_t every_epochs = 1;
  std::string load;     ///< a file; empty: initial weights are drawn
  bool resume = false;  ///< whether to continue the training that saved the file
};

template <class Visitor>
void describe(Visitor& v, CheckpointSettings& c) {
  v("save", c.save,
    "A folder, made if it is missing, for the weights and the optimizer's state of each case as safetensors.");
  v("every_epochs", c.every_epochs, Range{1, 100000}, "Between two that are saved; the last is.");
  v("load", c.load, "A safetensors file of the weights to begin with, in place of drawn ones.");
  v("resume", c.resume, "Goes on where `load` was left: its optimizer's state, epochs and steps, too.");
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
  CheckpointSettings checkpoint;

  double learning_rate() const { return value_of<double>(optimizer.options, "learning_rate"); }
};

template <class Visitor>
void describe(Visitor& v, Training& t) {
  v("epochs", t.epochs, Range{1, 100000}, "Passes over the training samples.");
  v("seed", t.seed, Range{0, 9007199254740991.0}, "Of initial weights and of the order of samples.");
  v("precision", t.precision, v.words({"fp32", "tf32", "bf16", "fp16"}),
    "Type of weights, activations and gradients; `tf32`: fp32, but a GPU rounds the factors of products to 10 bits; "
    "`bf16`, `fp16`: 16 bits, with sums, statistics and the optimizer in fp32.");
  v("loss_scale", t.loss_scale, v.one_of("loss scale", &graph::loss_scale_kinds),
    "By what `fp16` multiplies the loss, so that gradients stay within its range; a step whose gradients overflow "
    "nevertheless is skipped.");
  v("optimizer", t.optimizer, v.one_of("optimizer", &graph::optimizer_kinds), "How gradients change weights.");
  describe(v, t.rate);
  v("clip_norm", t.clip_norm, Range{0},
    "Largest norm of all gradients together, to which they are scaled down; 0: any.");
  v("loss", t.loss, v.words({"cross_entropy", "mean_squared_error"}), "What is made small.");
  v("label_smoothing", t.label_smoothing, Range{0, 0.999999},
    "Share of cross-entropy's target that all classes have in common.");
  v("target", t.target, "What a validation is to reach; where both are given, both. Nothing stops there.");
  v("checkpoint", t.checkpoint, "What is left behind, and what is begun with.");
}

}  // namespace ddlbench::bench
