#include "graph/ops/pool.h"

#include <array>

#include "kernels/cpu/ops.h"
#include "kernels/cpu/parallel.h"
#include "kernels/cpu/pool_blocks.h"
#include "kernels/cpu/pool_taps.h"
#include "kernels/operands.h"
#include "kernels/sizes/layers.h"

namespace ddlbench::kernels::cpu {
namespace {

/// Returns whether windows are 2 × 2, adjacent, and cover the image exactly.
bool is_tiled_by_two(const PoolSizes& z) {
  return z.kernel == 2 && z.stride == 2 && z.padding == 0 && z.h == 2 * z.p && z.w == 2 * z.q;
}

/// Computes outputs [begin, end) of row p of a plane, at most tile_outputs of them.
void pool_row(const PoolSizes& z, std::int64_t p, std::int64_t begin, std::int64_t end, const float* plane, float* y,
              std::uint8_t* argmax) {
  std::int32_t index[tile_outputs];  // as wide as the values: one mask selects both
  const std::int64_t r = std::max<std::int64_t>(0, z.padding - p * z.stride);
  const float* row = plane + (p * z.stride + r - z.padding) * z.w;
  for (std::int64_t q = begin; q < end; ++q) {
    const std::int64_t s = std::max<std::int64_t>(0, z.padding - q * z.stride);
    y[q] = row[q * z.stride + s - z.padding];
    index[q - begin] = static_cast<std::int32_t>(r * z.kernel + s);
  }
  with_stride(z.stride, [&](auto stride) {
    each_tap(z, p, begin, end, [&](const Tap& tap) {
      const std::int32_t within = tap.within;
      float* best = y + tap.begin;
      std::int32_t* best_index = index + (tap.begin - begin);
      const float* from = plane + (tap.offset + tap.begin * stride);
      DDLBENCH_INDEPENDENT
      for (std::int64_t i = 0; i < tap.end - tap.begin; ++i) {
        const float value = from[i * stride], before = best[i];
        const std::int32_t index_before = best_index[i];
        best_index[i] = value > before ? within : index_before;
        best[i] = value > before ? value : before;
      }
    });
  });
  for (std::int64_t q = begin; q < end; ++q) argmax[q] = static_cast<std::uint8_t>(index[q - begin]);
}

void pool_planes(const PoolSizes& z, std::int64_t begin, std::int64_t end, const float* x, float* y,
                 std::uint8_t* argmax) {
  for (std::int64_t row = begin * z.p; row < end * z.p; ++row) {
    const std::int64_t plane = row / z.p, p = row % z.p;
    for (std::int64_t q = 0; q < z.q; q += tile_outputs) {
      const std::int64_t q_end = std::min(q + tile_outputs, z.q);
      pool_row(z, p, q, q_end, x + plane * z.h * z.w, y + row * z.q, argmax + row * z.q);
    }
  }
}

/// Computes max pooling if is_tiled_by_two(): x is then one run of pairs of elements, and a row of outputs comes from
/// two rows of pairs. Loops are long and have no branches, so that they vectorise.
void pool_tiles_of_two(const PoolSizes& z, std::int64_t begin, std::int64_t end, const float* x, float* y,
                       std::uint8_t* argmax) {
  float pair[2 * tile_outputs];
  std::int32_t right[2 * tile_outputs], index[tile_outputs];  // as wide as the values: one mask selects both
  const std::int64_t width = z.q, rows_at_once = tile_outputs / width;
  for (std::int64_t row = begin * z.p; row < end * z.p; row += rows_at_once) {
    const std::int64_t rows = std::min(rows_at_once, end * z.p - row), outputs = rows * width;
    const float* from = x + row * 4 * width;
    for (std::int64_t i = 0; i < 2 * outputs; ++i) {
      const float a = from[2 * i], b = from[2 * i + 1];
      right[i] = b > a ? 1 : 0;
      pair[i] = b > a ? b : a;
    }
    float* to = y + row * width;
    for (std::int64_t r = 0; r < rows; ++r) {
      for (std::int64_t q = 0; q < width; ++q) {
        const std::int64_t upper = 2 * r * width + q, lower = upper + width;
        const float a = pair[upper], b = pair[lower];
        const std::int32_t index_a = right[upper], index_b = right[lower] + 2;
        index[r * width + q] = b > a ? index_b : index_a;
        to[r * width + q] = b > a ? b : a;
      }
    }
    for (std::int64_t i = 0; i < outputs; ++i) argmax[row * width + i] = static_cast<std::uint8_t>(index[i]);
  }
}

/// Computes the gradient of pool_tiles_of_two(). Writes each dx once.
void spread_tiles_of_two(const PoolSizes& z, std::int64_t begin, std::int64_t end, const float* dy,
                         const std::uint8_t* argmax, float* dx) {
  for (std::int64_t row = begin * z.p; row < end * z.p; ++row) {
    const float* from = dy + row * z.q;
    const std::uint8_t* index = argmax + row * z.q;
    float *upper = dx + row * 2 * z.w, *lower = upper + z.w;
    DDLBENCH_INDEPENDENT
    for (std::int64_t q = 0; q < z.q; ++q) {
      const std::int32_t at = index[q];
      upper[2 * q] = at == 0 ? from[q] : 0.0f;
      upper[2 * q + 1] = at == 1 ? from[q] : 0.0f;
      lower[2 * q] = at == 2 ? from[q] : 0.0f;
      lower[2 * q + 1] = at == 3 ? from[q] : 0.0f;
    }
  }
}

/// The offset of each window element from the window's upper left corner, indexed as in argmax.
using PlaceOffsets = std::array<std::int64_t, 256>;

PlaceOffsets place_offsets(const PoolSizes& z) {
  PlaceOffsets offsets{};
  for (int within = 0; within < z.kernel * z.kernel; ++within) {
    offsets[static_cast<std::size_t>(within)] = within / z.kernel * z.w + within % z.kernel;
  }
  return offsets;
}

/// Computes the gradient of pool_planes(). Ignores an argmax that leads outside the plane; the forward pass writes
/// none.
void spread_planes(const PoolSizes& z, const PlaceOffsets& offsets, std::int64_t begin, std::int64_t end,
                   const float* dy, const std::uint8_t* argmax, float* dx, bool accumulate) {
  if (!accumulate) std::fill(dx + begin * z.h * z.w, dx + end * z.h * z.w, 0.0f);
  std::int64_t i = begin * z.p * z.q;
  for (std::int64_t plane = begin; plane < end; ++plane) {
    float* image = dx + plane * z.h * z.w;
    for (std::int64_t p = 0; p < z.p; ++p) {
      std::int64_t corner = (p * z.stride - z.padding) * z.w - z.padding;
      for (std::int64_t q = 0; q < z.q; ++q, ++i, corner += z.stride) {
        const std::int64_t at = corner + offsets[argmax[i]];
        if (at >= 0 && at < z.h * z.w) image[at] += dy[i];
      }
    }
  }
}

bool is_f32(const Binding& binding) {
  return binding.inputs[0].dtype == graph::DType::f32;
}

}  // namespace

DDLBENCH_CPU_KERNEL(max_pool2d, Storage::any_float, Channels::in_blocks) {
  const auto z = sizes_of_max_pool2d(binding, Storage::any_float);
  if (z.block == 1 && !is_f32(binding)) return context.kernels->bind_widened(binding);
  const bool tiles = is_tiled_by_two(z) && z.q <= tile_outputs;
  return make_kernel(binding, [=, dtype = binding.inputs[0].dtype, threads = context.threads](const Arguments& a) {
    auto* argmax = output_of<std::uint8_t>(a, 1);
    if (z.block > 1) return pool_blocks(threads, z, dtype, a.inputs[0], a.outputs[0], argmax);
    const auto body = [&](auto begin, auto end) {
      if (tiles) {
        pool_tiles_of_two(z, begin, end, input(a, 0), output(a, 0), argmax);
      } else {
        pool_planes(z, begin, end, input(a, 0), output(a, 0), argmax);
      }
    };
    parallel_for(threads, z.planes, z.planes * z.h * z.w, body);
  });
}

DDLBENCH_CPU_KERNEL(max_pool2d_backward, Storage::any_float, Channels::in_blocks) {
  const auto z = sizes_of_max_pool2d_backward(binding, Storage::any_float);
  if ((z.block == 1 || z.kernel > z.stride) && !is_f32(binding)) return context.kernels->bind_widened(binding);
  const bool accumulate = binding.accumulate;
  const bool tiles = is_tiled_by_two(z) && !accumulate;
  return make_kernel(binding, [=, dtype = binding.inputs[0].dtype, offsets = place_offsets(z),
                               threads = context.threads](const Arguments& a) {
    const auto* argmax = input_of<std::uint8_t>(a, 1);
    if (z.block > 1) return spread_blocks(threads, z, dtype, a.inputs[0], argmax, a.outputs[0], accumulate);
    const auto body = [&](auto begin, auto end) {
      if (tiles) {
        spread_tiles_of_two(z, begin, end, input(a, 0), argmax, output(a, 0));
      } else {
        spread_planes(z, offsets, begin, end, input(a, 0), argmax, output(a, 0), accumulate);
      }
    };
    parallel_for(threads, z.planes, z.planes * z.h * z.w, body);
  });
}

}  // namespace ddlbench::kernels::cpu
