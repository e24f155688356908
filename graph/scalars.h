#pragma once

#include <cstdint>

namespace ddlbench::graph {

/// The loss scale of mixed precision, and its counters. All are f32 like other states, so a counter stops at 2²⁴.
struct LossScaler {
  float scale = 1;         ///< factor of the gradient of the loss, and thus of all gradients
  float steady_steps = 0;  ///< steps that changed the weights, without a skipped one, since the scale changed
  float updates = 0;       ///< steps that changed the weights (all except the skipped ones)
  float skipped = 0;       ///< steps that overflowed and left weights and optimizer states unchanged
};

/// The values that change in each step. They are one block in device memory, so that a captured graph does not contain
/// fixed values. The host writes them before each step, and `scaler` only if the program does not update one
/// (graph/ops/loss_scale.h).
struct Scalars {
  float learning_rate = 0;
  float inverse_count = 1;  ///< one over the number of labels in the global batch, without padding
  std::uint64_t seed = 0;
  std::int64_t step = 0;  ///< from 0
  std::int64_t rank = 0;  ///< of the machine's ranks, for draws that differ between ranks; all run one program
  LossScaler scaler = {};
};

}  // namespace ddlbench::graph
