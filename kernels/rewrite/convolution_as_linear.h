#pragma once

#include <optional>

#include "kernels/device.h"

namespace ddlbench::kernels {

/// Returns a pointwise convolution (1 × 1, stride 1, no padding, one group) between channels-last tensors as a linear
/// layer over all pixels of all images, or as the gradient of one, on the same operands. Returns nothing for other
/// convolutions. The sizes in the binding must be consistent (kernels/sizes/layers.h).
std::optional<Binding> as_linear(const Binding& convolution);

}  // namespace ddlbench::kernels
