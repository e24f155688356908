#pragma once

#include <cstdint>

namespace ddlbench::graph {

/// What changes from step to step: one block, on the device, so that a captured graph does not freeze it.
struct Scalars {
  float learning_rate = 0;
  float inverse_count = 1;  ///< one over the samples of the global batch that count
  float loss_scale = 1;
  std::int32_t skip = 0;  ///< 1: an optimizer leaves everything as it is
  std::uint64_t seed = 0;
  std::int64_t step = 0;  ///< from 0
};

}  // namespace ddlbench::graph
