#include "graph/ops/layer_norm.h"

#include <cmath>

#include "kernels/binding.h"
#include "kernels/cpu/lanes.h"
#include "kernels/cpu/ops.h"
#include "kernels/cpu/parallel.h"
#include "kernels/operands.h"
#include "kernels/sizes/transformer.h"

namespace ddlbench::kernels::cpu {
namespace {

struct Statistics {
  float mean, rstd;
};

Statistics normalise(const float* x, const float* gamma, const float* beta, float epsilon, std::int64_t size,
                     float* y) {
  const float inverse = 1.0f / static_cast<float>(size);
  const float mean = inverse * sum_in_lanes(size, [x](std::int64_t i) { return x[i]; });
  const float variance =
      inverse * sum_in_lanes(size, [x, mean](std::int64_t i) { return (x[i] - mean) * (x[i] - mean); });
  const float rstd = 1.0f / std::sqrt(variance + epsilon);
  DDLBENCH_INDEPENDENT
  for (std::int64_t i = 0; i < size; ++i) y[i] = (x[i] - mean) * rstd * gamma[i] + beta[i];
  return {mean, rstd};
}

/// Derived in kernels/reference/layer_norm.cpp.
void gradient_row(const float* dy, const float* x, const float* gamma, Statistics s, std::int64_t size, float* dx,
                  bool accumulate) {
  const float inverse = 1.0f / static_cast<float>(size);
  const float mean_g = inverse * sum_in_lanes(size, [=](std::int64_t i) { return dy[i] * gamma[i]; });
  const float mean_gn =
      inverse * sum_in_lanes(size, [=](std::int64_t i) { return dy[i] * gamma[i] * ((x[i] - s.mean) * s.rstd); });
  DDLBENCH_INDEPENDENT
  for (std::int64_t i = 0; i < size; ++i) {
    const float value = s.rstd * (dy[i] * gamma[i] - mean_g - (x[i] - s.mean) * s.rstd * mean_gn);
    dx[i] = accumulate ? dx[i] + value : value;
  }
}

}  // namespace

DDLBENCH_CPU_KERNEL(layer_norm) {
  const auto z = sizes_of_layer_norm(binding);
  const float epsilon = attributes_of<graph::LayerNorm>(binding).epsilon;
  return make_kernel(binding, [z, epsilon, threads = context.threads](const Arguments& a) {
    parallel_for(threads, z.rows, z.rows * z.features, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t row = begin; row < end; ++row) {
        const std::int64_t start = row * z.features;
        const Statistics s =
            normalise(input(a, 0) + start, input(a, 1), input(a, 2), epsilon, z.features, output(a, 0) + start);
        output(a, 1)[row] = s.mean;
        output(a, 2)[row] = s.rstd;
      }
    });
  });
}

DDLBENCH_CPU_KERNEL(layer_norm_backward_input) {
  const auto z = sizes_of_layer_norm_backward_input(binding);
  return make_kernel(binding, [z, threads = context.threads, accumulate = binding.accumulate](const Arguments& a) {
    parallel_for(threads, z.rows, z.rows * z.features, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t row = begin; row < end; ++row) {
        const std::int64_t start = row * z.features;
        gradient_row(input(a, 0) + start, input(a, 1) + start, input(a, 2), {input(a, 3)[row], input(a, 4)[row]},
                     z.features, output(a, 0) + start, accumulate);
      }
    });
  });
}

/// Threads divide the features among themselves, so that the order of sums is that of rows for any number of threads.
DDLBENCH_CPU_KERNEL(layer_norm_backward_weight) {
  const auto z = sizes_of_layer_norm_backward_weight(binding);
  return make_kernel(binding, [z, threads = context.threads, accumulate = binding.accumulate](const Arguments& a) {
    float *dgamma = output(a, 0), *dbeta = output(a, 1);
    parallel_for(threads, z.features, z.rows * z.features, [&](std::int64_t begin, std::int64_t end) {
      if (!accumulate) {
        std::fill(dgamma + begin, dgamma + end, 0.0f);
        std::fill(dbeta + begin, dbeta + end, 0.0f);
      }
      for (std::int64_t row = 0; row < z.rows; ++row) {
        const float *dy = input(a, 0) + row * z.features, *x = input(a, 1) + row * z.features;
        const float mean = input(a, 2)[row], rstd = input(a, 3)[row];
        DDLBENCH_INDEPENDENT
        for (std::int64_t i = begin; i < end; ++i) {
          dgamma[i] += dy[i] * (x[i] - mean) * rstd;
          dbeta[i] += dy[i];
        }
      }
    });
  });
}

}  // namespace ddlbench::kernels::cpu
