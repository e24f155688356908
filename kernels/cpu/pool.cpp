#include "graph/ops/pool.h"

#include "kernels/cpu/ops.h"
#include "kernels/cpu/parallel.h"
#include "kernels/operands.h"
#include "kernels/sizes.h"

namespace ddlbench::kernels::cpu {
namespace {

/// Outputs that pool_tiles_of_two handles at once: what it keeps on the stack stays in the nearest cache.
constexpr std::int64_t tile_outputs = 512;

/// 2 × 2 windows side by side that leave no rim.
bool is_tiled_by_two(const PoolSizes& z) {
  return z.kernel == 2 && z.stride == 2 && z.h == 2 * z.p && z.w == 2 * z.q;
}

/// One row of outputs.
void pool_row(const PoolSizes& z, const float* x, float* y, std::uint8_t* argmax) {
  for (std::int64_t q = 0; q < z.q; ++q) {
    const float* corner = x + q * z.stride;
    float best = corner[0];
    int index = 0;
    for (int within = 1; within < z.kernel * z.kernel; ++within) {
      const float value = corner[within / z.kernel * z.w + within % z.kernel];
      if (value > best) best = value, index = within;
    }
    y[q] = best;
    argmax[q] = static_cast<std::uint8_t>(index);
  }
}

void pool_planes(const PoolSizes& z, std::int64_t begin, std::int64_t end, const float* x, float* y,
                 std::uint8_t* argmax) {
  for (std::int64_t row = begin * z.p; row < end * z.p; ++row) {
    const std::int64_t plane = row / z.p, p = row % z.p;
    pool_row(z, x + (plane * z.h + p * z.stride) * z.w, y + row * z.q, argmax + row * z.q);
  }
}

/// Windows of 2 × 2 side by side that leave no rim: x is then one run of pairs of elements, and a row of
/// outputs comes from two rows of pairs. The loops are long and without branches, so that they vectorise.
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

/// Every dx is written once.
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

void spread_planes(const PoolSizes& z, std::int64_t begin, std::int64_t end, const float* dy,
                   const std::uint8_t* argmax, float* dx, bool accumulate) {
  if (!accumulate) std::fill(dx + begin * z.h * z.w, dx + end * z.h * z.w, 0.0f);
  std::int64_t i = begin * z.p * z.q;
  for (std::int64_t plane = begin; plane < end; ++plane) {
    for (std::int64_t p = 0; p < z.p; ++p) {
      float* corner = dx + (plane * z.h + p * z.stride) * z.w;
      for (std::int64_t q = 0; q < z.q; ++q, ++i) {
        corner[q * z.stride + argmax[i] / z.kernel * z.w + argmax[i] % z.kernel] += dy[i];
      }
    }
  }
}

}  // namespace

void add_max_pool2d(KernelTable& table, const Context& context) {
  table.add("max_pool2d", [&context](const Binding& binding) {
    const auto z = sizes_of_max_pool2d(binding);
    const bool tiles = is_tiled_by_two(z) && z.q <= tile_outputs;
    const auto launch = [=, threads = context.threads](const Arguments& a) {
      const auto body = [&](auto begin, auto end) {
        auto* argmax = output_of<std::uint8_t>(a, 1);
        if (tiles) {
          pool_tiles_of_two(z, begin, end, input(a, 0), output(a, 0), argmax);
        } else {
          pool_planes(z, begin, end, input(a, 0), output(a, 0), argmax);
        }
      };
      parallel_for(threads, z.planes, z.planes * z.h * z.w, body);
    };
    return make_kernel(flops_of(binding), launch);
  });
}

void add_max_pool2d_backward(KernelTable& table, const Context& context) {
  table.add("max_pool2d_backward", [&context](const Binding& binding) {
    const auto z = sizes_of_max_pool2d_backward(binding);
    const bool accumulate = binding.accumulate;
    const bool tiles = is_tiled_by_two(z) && !accumulate;
    const auto launch = [=, threads = context.threads](const Arguments& a) {
      const auto body = [&](auto begin, auto end) {
        const auto* argmax = input_of<std::uint8_t>(a, 1);
        if (tiles) {
          spread_tiles_of_two(z, begin, end, input(a, 0), argmax, output(a, 0));
        } else {
          spread_planes(z, begin, end, input(a, 0), argmax, output(a, 0), accumulate);
        }
      };
      parallel_for(threads, z.planes, z.planes * z.h * z.w, body);
    };
    return make_kernel(flops_of(binding), launch);
  });
}

}  // namespace ddlbench::kernels::cpu
