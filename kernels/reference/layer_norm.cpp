#include "graph/ops/layer_norm.h"

#include <cmath>

#include "kernels/binding.h"
#include "kernels/operands.h"
#include "kernels/reference/ops.h"
#include "kernels/sizes/transformer.h"

namespace ddlbench::kernels::reference {

DDLBENCH_REFERENCE_KERNEL(layer_norm) {
  const auto z = sizes_of_layer_norm(binding);
  const double epsilon = attributes_of<graph::LayerNorm>(binding).epsilon;
  return make_kernel(binding, [z, epsilon](const Arguments& a) {
    const auto size = static_cast<double>(z.features);
    for (std::int64_t row = 0; row < z.rows; ++row) {
      const float* x = input(a, 0) + row * z.features;
      double mean = 0, variance = 0;
      for (std::int64_t i = 0; i < z.features; ++i) mean += x[i] / size;
      for (std::int64_t i = 0; i < z.features; ++i) variance += (x[i] - mean) * (x[i] - mean) / size;
      const double rstd = 1 / std::sqrt(variance + epsilon);
      for (std::int64_t i = 0; i < z.features; ++i) {
        const double y = (x[i] - mean) * rstd * input(a, 1)[i] + input(a, 2)[i];
        output(a, 0)[row * z.features + i] = static_cast<float>(y);
      }
      output(a, 1)[row] = static_cast<float>(mean);
      output(a, 2)[row] = static_cast<float>(rstd);
    }
  });
}

/// With g = dy gamma and n = (x − mean) rstd: dx = rstd (g − mean of g − n · mean of g n).
DDLBENCH_REFERENCE_KERNEL(layer_norm_backward_input) {
  const auto z = sizes_of_layer_norm_backward_input(binding);
  return make_kernel(binding, [z, accumulate = binding.accumulate](const Arguments& a) {
    const auto size = static_cast<double>(z.features);
    for (std::int64_t row = 0; row < z.rows; ++row) {
      const double mean = input(a, 3)[row], rstd = input(a, 4)[row];
      const auto gradient = [&](std::int64_t i) { return double{input(a, 0)[row * z.features + i]} * input(a, 2)[i]; };
      const auto normalised = [&](std::int64_t i) { return (input(a, 1)[row * z.features + i] - mean) * rstd; };
      double mean_g = 0, mean_gn = 0;
      for (std::int64_t i = 0; i < z.features; ++i) {
        mean_g += gradient(i) / size;
        mean_gn += gradient(i) * normalised(i) / size;
      }
      for (std::int64_t i = 0; i < z.features; ++i) {
        const double dx = rstd * (gradient(i) - mean_g - normalised(i) * mean_gn);
        write(output(a, 0)[row * z.features + i], dx, accumulate);
      }
    }
  });
}

DDLBENCH_REFERENCE_KERNEL(layer_norm_backward_weight) {
  const auto z = sizes_of_layer_norm_backward_weight(binding);
  return make_kernel(binding, [z, accumulate = binding.accumulate](const Arguments& a) {
    for (std::int64_t i = 0; i < z.features; ++i) {
      double dgamma = 0, dbeta = 0;
      for (std::int64_t row = 0; row < z.rows; ++row) {
        const double dy = input(a, 0)[row * z.features + i];
        dgamma += dy * (double{input(a, 1)[row * z.features + i]} - input(a, 2)[row]) * input(a, 3)[row];
        dbeta += dy;
      }
      write(output(a, 0)[i], dgamma, accumulate);
      write(output(a, 1)[i], dbeta, accumulate);
    }
  });
}

}  // namespace ddlbench::kernels::reference
