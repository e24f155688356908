#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/option.h"

namespace ddlbench::bench {

/// The target of a training, measured by validation. If both are given, both must be reached.
struct Target {
  std::optional<double> loss;      ///< at most this
  std::optional<double> accuracy;  ///< at least this share of the samples
  std::int64_t every_steps = 0;    ///< steps between two validations within an epoch; 0: only at its end

  bool is_set() const { return loss || accuracy; }
};

template <class Visitor>
void describe(Visitor& v, Target& t) {
  v("loss", t.loss, Range{0, {}, true}, "Reached when the validation loss is at most this.");
  v("accuracy", t.accuracy, Range{0, 1, true}, "Reached when the validation accuracy is at least this.");
  v("every_steps", t.every_steps, Range{0, 1e9},
    "Also validates within an epoch, each time after this many training steps; 0: only at the end of each epoch.");
}

/// Returns whether a validation with these results reached the target; false if none is set.
bool is_reached(const Target& target, double validation_loss, double accuracy);

/// Returns "loss 0.5", "accuracy 0.9" or "loss 0.5 and accuracy 0.9"; empty if no target is set.
std::string describe(const Target& target);

}  // namespace ddlbench::bench
