#pragma once

#include <cstdint>

#include "graph/graph.h"

namespace ddlbench::test {

inline constexpr std::int64_t model_classes = 5;   ///< number of labels, and of tokens
inline constexpr std::int64_t text_positions = 6;  ///< of a text

/// Returns a model of images with batch norm, residuals and dropout.
graph::Graph images(std::int64_t batch, std::int64_t samples_per_statistic);
/// Returns a model of images with 1×1 and larger convolutions, grouped ones, with and without bias, batch norm, a
/// shortcut, and pooling.
graph::Graph pooled_images(std::int64_t batch);
/// Returns a model of images with two batch norms over the whole batch: the first of the images, the second of a
/// convolution whose biases are `mean`. Running statistics are those of the last batch.
graph::Graph images_around(std::int64_t batch, float mean);
/// Returns a transformer; `fused_head` selects fused linear cross-entropy.
graph::Graph text(std::int64_t batch, bool fused_head = false);

}  // namespace ddlbench::test
