#include "kernels/binding.h"
#include "kernels/functors/elementwise.h"
#include "kernels/operands.h"
#include "kernels/reference/ops.h"
#include "kernels/reference/sums.h"
#include "kernels/sizes/layers.h"

namespace ddlbench::kernels::reference {
namespace {

/// Calls body(index in x, index in y, index in w) for every product of the convolution whose output
/// channel, sample and position are given by `n` and `k`.
void for_each_product(const ConvolutionSizes& z, std::int64_t n, std::int64_t k, auto&& body) {
  const std::int64_t first_channel = k / (z.k / z.groups) * z.group_channels();
  for (std::int64_t p = 0; p < z.p; ++p) {
    for (std::int64_t q = 0; q < z.q; ++q) {
      const std::int64_t y = ((n * z.k + k) * z.p + p) * z.q + q;
      for (std::int64_t c = 0; c < z.group_channels(); ++c) {
        for (std::int64_t r = 0; r < z.r; ++r) {
          const std::int64_t row = p * z.stride + r * z.dilation - z.padding;
          if (row < 0 || row >= z.h) continue;
          for (std::int64_t s = 0; s < z.s; ++s) {
            const std::int64_t column = q * z.stride + s * z.dilation - z.padding;
            if (column < 0 || column >= z.w) continue;
            body(((n * z.c + first_channel + c) * z.h + row) * z.w + column, y,
                 ((k * z.group_channels() + c) * z.r + r) * z.s + s);
          }
        }
      }
    }
  }
}

void for_each_product(const ConvolutionSizes& z, auto&& body) {
  for (std::int64_t n = 0; n < z.n; ++n)
    for (std::int64_t k = 0; k < z.k; ++k) for_each_product(z, n, k, body);
}

}  // namespace

DDLBENCH_REFERENCE_KERNEL(conv2d) {
  const auto z = sizes_of_conv2d(binding);
  const auto& op = attributes_of<graph::Conv2d>(binding);
  const bool accumulate = binding.accumulate;
  return make_kernel(binding, sums_bytes(z.n * z.k * z.p * z.q),
                     [z, bias = op.bias, f = op.activation, accumulate](const Arguments& a) {
                       const float *x = input(a, 0), *w = input(a, 1), *b = bias ? input(a, 2) : nullptr;
                       const auto y = sums(a, z.n * z.k * z.p * z.q);
                       for_each_product(z, [&](auto xi, auto yi, auto wi) {
                         y[static_cast<std::size_t>(yi)] += double{x[xi]} * w[wi];
                       });
                       for (std::size_t i = 0; i < y.size(); ++i) {
                         const std::int64_t k = static_cast<std::int64_t>(i) / (z.p * z.q) % z.k;
                         y[i] = activate(f, y[i] + (bias ? b[k] : 0.0f));
                       }
                       write_all(output(a, 0), y, accumulate);
                     });
}

DDLBENCH_REFERENCE_KERNEL(conv2d_backward_input) {
  const auto z = sizes_of_conv2d_backward_input(binding);
  return make_kernel(
      binding, sums_bytes(z.n * z.c * z.h * z.w), [z, accumulate = binding.accumulate](const Arguments& a) {
        const float *dz = input(a, 0), *w = input(a, 1);
        const auto dx = sums(a, z.n * z.c * z.h * z.w);
        for_each_product(
            z, [&](auto xi, auto yi, auto wi) { dx[static_cast<std::size_t>(xi)] += double{dz[yi]} * w[wi]; });
        write_all(output(a, 0), dx, accumulate);
      });
}

DDLBENCH_REFERENCE_KERNEL(conv2d_backward_weight) {
  const auto z = sizes_of_conv2d_backward_weight(binding);
  const bool bias = attributes_of<graph::Conv2dBackwardWeight>(binding).bias;
  return make_kernel(binding, sums_bytes(std::max(z.k * z.group_channels() * z.r * z.s, z.k)),
                     [z, bias, accumulate = binding.accumulate](const Arguments& a) {
                       const float *x = input(a, 0), *dz = input(a, 1);
                       const auto dw = sums(a, z.k * z.group_channels() * z.r * z.s);
                       for_each_product(z, [&](auto xi, auto yi, auto wi) {
                         dw[static_cast<std::size_t>(wi)] += double{x[xi]} * dz[yi];
                       });
                       write_all(output(a, 0), dw, accumulate);
                       if (!bias) return;
                       const auto db = sums(a, z.k);
                       for (std::int64_t i = 0; i < z.n * z.k * z.p * z.q; ++i)
                         db[static_cast<std::size_t>(i / (z.p * z.q) % z.k)] += dz[i];
                       write_all(output(a, 1), db, accumulate);
                     });
}

}  // namespace ddlbench::kernels::reference
