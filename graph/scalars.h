#pragma once

#include <cstdint>

namespace ddlbench::graph {

/// The loss scale of mixed precision and what it follows. All f32, as states are: a count that reaches 2²⁴ stays there.
struct LossScaler {
  float scale = 1;         ///< of the loss's gradient, and so of all gradients
  float steady_steps = 0;  ///< that changed the weights, one after another, since the scale changed
  float updates = 0;       ///< steps that changed the weights: all that were not skipped
  float skipped = 0;       ///< steps that overflowed, and left everything as it was
};

/// What changes from step to step: one block, on the device, so that a captured graph does not freeze it. The host
/// sets it before each step; the scaler only where the program has none of its own (graph/ops/loss_scale.h).
struct Scalars {
  float learning_rate = 0;
  float inverse_count = 1;  ///< one over the samples of the global batch that count
  std::uint64_t seed = 0;
  std::int64_t step = 0;  ///< from 0
  LossScaler scaler = {};
};

}  // namespace ddlbench::graph
