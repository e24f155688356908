#include <algorithm>

#include "graph/ops/pool.h"
#include "kernels/cpu/lanes.h"
#include "kernels/cpu/ops.h"
#include "kernels/cpu/parallel.h"
#include "kernels/cpu/pool_taps.h"
#include "kernels/operands.h"
#include "kernels/sizes/layers.h"

namespace ddlbench::kernels::cpu {
namespace {

float weight_of(const PoolSizes& z) {
  return 1.0f / static_cast<float>(z.kernel * z.kernel);
}

/// Computes outputs [begin, end) of row p of a plane, at most tile_outputs of them.
void average_row(const PoolSizes& z, std::int64_t p, std::int64_t begin, std::int64_t end, const float* plane, float* y,
                 bool accumulate) {
  float sum[tile_outputs] = {};
  with_stride(z.stride, [&](auto stride) {
    each_tap(z, p, begin, end, [&](const Tap& tap) {
      float* to = sum + (tap.begin - begin);
      const float* from = plane + (tap.offset + tap.begin * stride);
      for (std::int64_t i = 0; i < tap.end - tap.begin; ++i) to[i] += from[i * stride];
    });
  });
  const float weight = weight_of(z);
  for (std::int64_t q = begin; q < end; ++q) y[q] = weight * sum[q - begin] + (accumulate ? y[q] : 0.0f);
}

void average_planes(const PoolSizes& z, std::int64_t begin, std::int64_t end, const float* x, float* y,
                    bool accumulate) {
  for (std::int64_t row = begin * z.p; row < end * z.p; ++row) {
    const float* plane = x + row / z.p * z.h * z.w;
    for (std::int64_t q = 0; q < z.q; q += tile_outputs) {
      average_row(z, row % z.p, q, std::min(q + tile_outputs, z.q), plane, y + row * z.q, accumulate);
    }
  }
}

void spread_planes(const PoolSizes& z, std::int64_t begin, std::int64_t end, const float* dy, float* dx,
                   bool accumulate) {
  if (!accumulate) std::fill(dx + begin * z.h * z.w, dx + end * z.h * z.w, 0.0f);
  const float weight = weight_of(z);
  with_stride(z.stride, [&](auto stride) {
    for (std::int64_t row = begin * z.p; row < end * z.p; ++row) {
      float* plane = dx + row / z.p * z.h * z.w;
      each_tap(z, row % z.p, 0, z.q, [&](const Tap& tap) {
        const float* from = dy + row * z.q + tap.begin;
        float* to = plane + (tap.offset + tap.begin * stride);
        DDLBENCH_INDEPENDENT
        for (std::int64_t i = 0; i < tap.end - tap.begin; ++i) to[i * stride] += weight * from[i];
      });
    }
  });
}

/// Calls body(index in y, first row, rows, first column, columns) for every window of a plane.
void each_window(const AdaptivePoolSizes& z, std::int64_t plane, const auto& body) {
  for (std::int64_t p = 0; p < z.p; ++p) {
    const std::int64_t top = p * z.h / z.p, bottom = ((p + 1) * z.h + z.p - 1) / z.p;
    for (std::int64_t q = 0; q < z.q; ++q) {
      const std::int64_t left = q * z.w / z.q, right = ((q + 1) * z.w + z.q - 1) / z.q;
      body((plane * z.p + p) * z.q + q, top, bottom - top, left, right - left);
    }
  }
}

void average_planes(const AdaptivePoolSizes& z, std::int64_t begin, std::int64_t end, const float* x, float* y,
                    bool accumulate) {
  for (std::int64_t plane = begin; plane < end; ++plane) {
    each_window(z, plane, [&](auto i, auto top, auto rows, auto left, auto columns) {
      const float* corner = x + (plane * z.h + top) * z.w + left;
      float sum = 0;
      if (columns == z.w) {  // whole rows are contiguous
        sum = sum_in_lanes(rows * columns, [corner](std::int64_t k) { return corner[k]; });
      } else {
        for (std::int64_t r = 0; r < rows; ++r)
          sum += sum_in_lanes(columns, [from = corner + r * z.w](std::int64_t k) { return from[k]; });
      }
      y[i] = sum / static_cast<float>(rows * columns) + (accumulate ? y[i] : 0.0f);
    });
  }
}

void spread_planes(const AdaptivePoolSizes& z, std::int64_t begin, std::int64_t end, const float* dy, float* dx,
                   bool accumulate) {
  if (!accumulate) std::fill(dx + begin * z.h * z.w, dx + end * z.h * z.w, 0.0f);
  for (std::int64_t plane = begin; plane < end; ++plane) {
    each_window(z, plane, [&](auto i, auto top, auto rows, auto left, auto columns) {
      const float gradient = dy[i] / static_cast<float>(rows * columns);
      for (std::int64_t r = top; r < top + rows; ++r) {
        float* to = dx + (plane * z.h + r) * z.w + left;
        for (std::int64_t k = 0; k < columns; ++k) to[k] += gradient;
      }
    });
  }
}

std::unique_ptr<Kernel> average_kernel(const Context& context, const Binding& binding, const auto& z) {
  return make_kernel(binding, [z, threads = context.threads, add = binding.accumulate](const Arguments& a) {
    parallel_for(threads, z.planes, z.planes * z.h * z.w,
                 [&](auto begin, auto end) { average_planes(z, begin, end, input(a, 0), output(a, 0), add); });
  });
}

std::unique_ptr<Kernel> spread_kernel(const Context& context, const Binding& binding, const auto& z) {
  return make_kernel(binding, [z, threads = context.threads, add = binding.accumulate](const Arguments& a) {
    parallel_for(threads, z.planes, z.planes * z.h * z.w,
                 [&](auto begin, auto end) { spread_planes(z, begin, end, input(a, 0), output(a, 0), add); });
  });
}

}  // namespace

DDLBENCH_CPU_KERNEL(average_pool2d) {
  return average_kernel(context, binding, sizes_of_average_pool2d(binding));
}

DDLBENCH_CPU_KERNEL(average_pool2d_backward) {
  return spread_kernel(context, binding, sizes_of_average_pool2d_backward(binding));
}

DDLBENCH_CPU_KERNEL(adaptive_average_pool2d) {
  return average_kernel(context, binding, sizes_of_adaptive_average_pool2d(binding));
}

DDLBENCH_CPU_KERNEL(adaptive_average_pool2d_backward) {
  return spread_kernel(context, binding, sizes_of_adaptive_average_pool2d_backward(binding));
}

}  // namespace ddlbench::kernels::cpu
