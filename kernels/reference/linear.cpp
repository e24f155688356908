#include "graph/ops/linear.h"

#include <algorithm>
#include <array>
#include <span>

#include "kernels/binding.h"
#include "kernels/functors/elementwise.h"
#include "kernels/operands.h"
#include "kernels/reference/ops.h"
#include "kernels/reference/sums.h"
#include "kernels/sizes/layers.h"

namespace ddlbench::kernels::reference {
namespace {

/// Sums that are added up side by side: each waits for its own previous addition, but not for those of the others.
constexpr std::int64_t most_sums = 8;
using Sums = std::array<double, most_sums>;

/// Calls body(first, count) for each part of a row of outputs.
void for_each_part(std::int64_t outputs, auto&& body) {
  for (std::int64_t first = 0; first < outputs; first += most_sums) body(first, std::min(most_sums, outputs - first));
}

std::span<const double> first_of(const Sums& sums, std::int64_t count) {
  return std::span(sums).first(static_cast<std::size_t>(count));
}

/// Adds the products of x, of size `in`, with the first `count` rows of w to their sums.
void add_products(const float* x, const float* w, std::int64_t in, std::int64_t count, Sums& sums) {
  for (std::int64_t i = 0; i < in; ++i) {
    for (std::int64_t o = 0; o < count; ++o) sums[static_cast<std::size_t>(o)] += double{x[i]} * w[o * in + i];
  }
}

/// Adds the products of `factor` with the first `count` values to their sums.
void add_scaled(float factor, const float* values, std::int64_t count, Sums& sums) {
  for (std::int64_t i = 0; i < count; ++i) sums[static_cast<std::size_t>(i)] += double{factor} * values[i];
}

}  // namespace

DDLBENCH_REFERENCE_KERNEL(linear) {
  const auto z = sizes_of_linear(binding);
  const auto& op = attributes_of<graph::Linear>(binding);
  const bool accumulate = binding.accumulate;
  return make_kernel(binding, [z, bias = op.bias, f = op.activation, accumulate](const Arguments& a) {
    const float *x = input(a, 0), *w = input(a, 1), *b = bias ? input(a, 2) : nullptr;
    for (std::int64_t n = 0; n < z.n; ++n) {
      for_each_part(z.out, [&](std::int64_t first, std::int64_t count) {
        Sums sums{};
        if (bias) std::copy_n(b + first, count, sums.begin());
        add_products(x + n * z.in, w + first * z.in, z.in, count, sums);
        for (double& sum : sums) sum = activate(f, sum);
        write_all(output(a, 0) + n * z.out + first, first_of(sums, count), accumulate);
      });
    }
  });
}

DDLBENCH_REFERENCE_KERNEL(linear_backward_input) {
  const auto z = sizes_of_linear_backward_input(binding);
  return make_kernel(binding, [z, accumulate = binding.accumulate](const Arguments& a) {
    const float *dz = input(a, 0), *w = input(a, 1);
    for (std::int64_t n = 0; n < z.n; ++n) {
      for_each_part(z.in, [&](std::int64_t first, std::int64_t count) {
        Sums dx{};
        for (std::int64_t o = 0; o < z.out; ++o) add_scaled(dz[n * z.out + o], w + o * z.in + first, count, dx);
        write_all(output(a, 0) + n * z.in + first, first_of(dx, count), accumulate);
      });
    }
  });
}

DDLBENCH_REFERENCE_KERNEL(linear_backward_weight) {
  const auto z = sizes_of_linear_backward_weight(binding);
  const bool bias = attributes_of<graph::LinearBackwardWeight>(binding).bias;
  return make_kernel(binding, [z, bias, accumulate = binding.accumulate](const Arguments& a) {
    const float *x = input(a, 0), *dz = input(a, 1);
    for (std::int64_t o = 0; o < z.out; ++o) {
      for_each_part(z.in, [&](std::int64_t first, std::int64_t count) {
        Sums dw{};
        for (std::int64_t n = 0; n < z.n; ++n) add_scaled(dz[n * z.out + o], x + n * z.in + first, count, dw);
        write_all(output(a, 0) + o * z.in + first, first_of(dw, count), accumulate);
      });
      if (!bias) continue;
      double sum = 0;
      for (std::int64_t n = 0; n < z.n; ++n) sum += dz[n * z.out + o];
      write(output(a, 1)[o], sum, accumulate);
    }
  });
}

}  // namespace ddlbench::kernels::reference
