#pragma once

#include <cstdint>
#include <string>

#include "graph/tensor.h"

namespace ddlbench::test {

/// A random model, small enough to train in milliseconds.
struct RandomLayers {
  std::string json;     ///< in the format of docs/models.md
  graph::Shape sample;  ///< shape of an image, or the number of tokens of a text
  bool is_text = false;
};

/// Draws a model from a seed. Images go through convolutions (in groups, with strides, padding and dilation, with and
/// without bias and activation), pooling, norms, residuals, dropout and linear layers; texts through a random
/// transformer.
RandomLayers random_layers(std::uint64_t seed);

inline constexpr int random_classes = 5;  ///< number of labels, and of tokens

}  // namespace ddlbench::test
