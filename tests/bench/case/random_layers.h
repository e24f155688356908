#pragma once

#include <cstdint>
#include <string>

#include "graph/tensor.h"

namespace ddlbench::test {

/// A model of layers drawn from a seed, small enough to train in milliseconds.
struct RandomLayers {
  std::string json;     ///< as docs/models.md has it
  graph::Shape sample;  ///< of an image; of a text its tokens
  bool is_text = false;
};

/// Images go through convolutions (in groups, with strides, padding and dilation, with and without bias and
/// activation), pooling, norms, residuals, dropout and linear layers; texts through a transformer of random form.
RandomLayers random_layers(std::uint64_t seed);

inline constexpr int random_classes = 5;  ///< of labels, and tokens

}  // namespace ddlbench::test
