#pragma once

#include <cstdint>

#include "graph/ops/conv2d.h"
#include "graph/ops/pool.h"
#include "kernels/binding.h"

/// Sizes of an op, taken from the local types that it is bound to. Each function refuses (InputError)
/// types that do not fit together.
namespace ddlbench::kernels {

/// x[n, c, h, w] ∗ w[k, c / groups, r, s] -> y[n, k, p, q].
struct ConvolutionSizes {
  std::int64_t n = 0, c = 0, h = 0, w = 0;
  std::int64_t k = 0, r = 0, s = 0;
  std::int64_t p = 0, q = 0;
  int stride = 1;
  int padding = 0;
  int dilation = 1;
  int groups = 1;
  std::int64_t x_block = 1, w_block = 1, y_block = 1;  ///< of channels (graph::TensorType)
  std::int64_t group_channels() const { return c / groups; }
  bool empty() const { return n * c * h * w * k * r * s * p * q == 0; }
  /// Of each of the three convolutions without bias and activation: 2·n·k·p·q·(c/groups)·r·s.
  double flops() const;
};

ConvolutionSizes sizes_of_conv2d(const Binding& binding, Storage storage = Storage::f32);
ConvolutionSizes sizes_of_conv2d_backward_input(const Binding& binding, Storage storage = Storage::f32);
ConvolutionSizes sizes_of_conv2d_backward_weight(const Binding& binding, Storage storage = Storage::f32);

/// x[n, in] · w[out, in]ᵀ -> y[n, out], n being all rows of x.
struct LinearSizes {
  std::int64_t n = 0, in = 0, out = 0;
  bool empty() const { return n * in * out == 0; }
  /// Of each of the three products without bias and activation: 2·n·in·out.
  double flops() const;
};

/// The same product, its output of its inputs' type: libraries multiply 16-bit numbers into an output of f32, too.
Binding of_one_type(Binding binding);

LinearSizes sizes_of_linear(const Binding& binding, Storage storage = Storage::f32);
LinearSizes sizes_of_linear_backward_input(const Binding& binding, Storage storage = Storage::f32);
LinearSizes sizes_of_linear_backward_weight(const Binding& binding, Storage storage = Storage::f32);

/// `planes` images of h × w pooled to p × q by windows that move. Every window has a place of the image.
struct PoolSizes {
  std::int64_t planes = 0, h = 0, w = 0, p = 0, q = 0;
  int kernel = 1;
  int stride = 1;
  int padding = 0;
  std::int64_t block = 1;  ///< of channels: so many planes lie as one [h, w, block]
};

PoolSizes sizes_of_max_pool2d(const Binding& binding, Storage storage = Storage::f32);
PoolSizes sizes_of_max_pool2d_backward(const Binding& binding, Storage storage = Storage::f32);
PoolSizes sizes_of_average_pool2d(const Binding& binding, Storage storage = Storage::f32);
PoolSizes sizes_of_average_pool2d_backward(const Binding& binding, Storage storage = Storage::f32);

/// `planes` images of h × w averaged to p × q by windows that share them out (graph/ops/pool.h).
struct AdaptivePoolSizes {
  std::int64_t planes = 0, h = 0, w = 0, p = 0, q = 0;
};

AdaptivePoolSizes sizes_of_adaptive_average_pool2d(const Binding& binding, Storage storage = Storage::f32);
AdaptivePoolSizes sizes_of_adaptive_average_pool2d_backward(const Binding& binding, Storage storage = Storage::f32);

}  // namespace ddlbench::kernels
