#pragma once

#include <cstdint>

#include "graph/ops/conv2d.h"
#include "graph/ops/pool.h"
#include "kernels/binding.h"

/// Sizes of an op, taken from the types on this rank with which it is bound. Each function throws InputError if the
/// types are inconsistent or the device does not support their `storage`.
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
  std::int64_t x_block = 1, w_block = 1, y_block = 1;  ///< channel blocks (graph::TensorType)
  std::int64_t group_channels() const { return c / groups; }
  bool empty() const { return n * c * h * w * k * r * s * p * q == 0; }
  /// Returns the operations of one convolution without bias and activation, the same for forward and both gradients:
  /// 2·n·k·p·q·(c/groups)·r·s.
  double flops() const;
};

ConvolutionSizes sizes_of_conv2d(const Binding& binding, Storage storage = Storage::f32);
ConvolutionSizes sizes_of_conv2d_backward_input(const Binding& binding, Storage storage = Storage::f32);
ConvolutionSizes sizes_of_conv2d_backward_weight(const Binding& binding, Storage storage = Storage::f32);

/// x[n, in] · w[out, in]ᵀ -> y[n, out]; n is the product of all leading dimensions of x.
struct LinearSizes {
  std::int64_t n = 0, in = 0, out = 0;
  bool empty() const { return n * in * out == 0; }
  /// Returns the operations of one product without bias and activation, the same for forward and both gradients:
  /// 2·n·in·out.
  double flops() const;
};

/// Returns the same product with the output in the type of the inputs: libraries can also multiply 16-bit numbers into
/// an f32 output.
Binding of_one_type(Binding binding);

LinearSizes sizes_of_linear(const Binding& binding, Storage storage = Storage::f32);
LinearSizes sizes_of_linear_backward_input(const Binding& binding, Storage storage = Storage::f32);
LinearSizes sizes_of_linear_backward_weight(const Binding& binding, Storage storage = Storage::f32);

/// `planes` images of h × w, pooled to p × q with sliding windows. Every window contains a pixel of the image.
struct PoolSizes {
  std::int64_t planes = 0, h = 0, w = 0, p = 0, q = 0;
  int kernel = 1;
  int stride = 1;
  int padding = 0;
  std::int64_t block = 1;  ///< channel block: this number of planes is stored as one [h, w, block]
};

PoolSizes sizes_of_max_pool2d(const Binding& binding, Storage storage = Storage::f32);
PoolSizes sizes_of_max_pool2d_backward(const Binding& binding, Storage storage = Storage::f32);
PoolSizes sizes_of_average_pool2d(const Binding& binding, Storage storage = Storage::f32);
PoolSizes sizes_of_average_pool2d_backward(const Binding& binding, Storage storage = Storage::f32);

/// `planes` images of h × w, averaged to p × q by adaptive windows (graph/ops/pool.h).
struct AdaptivePoolSizes {
  std::int64_t planes = 0, h = 0, w = 0, p = 0, q = 0;
};

AdaptivePoolSizes sizes_of_adaptive_average_pool2d(const Binding& binding, Storage storage = Storage::f32);
AdaptivePoolSizes sizes_of_adaptive_average_pool2d_backward(const Binding& binding, Storage storage = Storage::f32);

}  // namespace ddlbench::kernels
