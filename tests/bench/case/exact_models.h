#pragma once

#include <cstdint>

#include "graph/graph.h"

namespace ddlbench::test {

inline constexpr std::int64_t model_classes = 5;   ///< of labels, and tokens
inline constexpr std::int64_t text_positions = 6;  ///< of a text

/// Through batch norm, residuals and dropout.
graph::Graph images(std::int64_t batch, std::int64_t samples_per_statistic);
/// Through convolutions of one place and of more, in groups, with bias and without, batch norm, a shortcut, and pools.
graph::Graph pooled_images(std::int64_t batch);
/// Through two batch norms of the whole batch, the first of the images, the second of a convolution whose biases are
/// `mean`. Running statistics are those of the last batch.
graph::Graph images_around(std::int64_t batch, float mean);
/// Through a transformer, whose head is fused with its loss where so asked.
graph::Graph text(std::int64_t batch, bool fused_head = false);

}  // namespace ddlbench::test
