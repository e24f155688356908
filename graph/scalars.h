#pragma once

#include <cstdint>

namespace ddlbench::graph {

/// What changes from step to step: one block, on the device, so that a captured graph does not freeze it.
struct Scalars {
  float learning_rate = 0;
  float inverse_count = 1;  ///< one over the samples of the global batch that count
  float loss_scale = 1;
  std::uint64_t seed = 0;
  std::int64_t step = 0;     ///< from 0
  std::int64_t updates = 0;  ///< steps before this one that changed the weights: all that were not skipped
};

}  // namespace ddlbench::graph
