#pragma once

#include <optional>

#include "kernels/device.h"

namespace ddlbench::kernels {

/// A convolution of one place (1 × 1, stride 1, no padding, one group) between tensors whose channels lie last is a
/// linear layer of all places of all images: that layer, or its gradient, on the same operands. Nothing for others. Of
/// a binding whose sizes fit together (kernels/sizes/layers.h).
std::optional<Binding> as_linear(const Binding& convolution);

}  // namespace ddlbench::kernels
