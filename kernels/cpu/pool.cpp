#include "graph/ops/pool.h"

#include "kernels/cpu/ops.h"
#include "kernels/cpu/parallel.h"
#include "kernels/operands.h"
#include "kernels/sizes.h"

namespace ddlbench::kernels::cpu {
namespace {

/// One row of outputs. A `Kernel` or `Stride` of 0 is not known when this is compiled.
template <int Kernel, int Stride>
void pool_row(const PoolSizes& z, const float* x, float* y, std::uint8_t* argmax) {
  constexpr std::int64_t block = 32;
  const int kernel = Kernel > 0 ? Kernel : z.kernel, stride = Stride > 0 ? Stride : z.stride;
  for (std::int64_t start = 0; start < z.q; start += block) {
    const std::int64_t size = std::min(block, z.q - start);
    const float* corner = x + start * stride;
    float best[block];
    std::int32_t index[block];  // as wide as the values, so that the comparison's mask selects both
    for (std::int64_t q = 0; q < size; ++q) best[q] = corner[q * stride], index[q] = 0;
    for (int r = 0; r < kernel; ++r) {
      for (int c = r == 0 ? 1 : 0; c < kernel; ++c) {
        const float* candidate = corner + r * z.w + c;
        for (std::int64_t q = 0; q < size; ++q) {
          const float value = candidate[q * stride];
          index[q] = value > best[q] ? r * kernel + c : index[q];
          best[q] = value > best[q] ? value : best[q];
        }
      }
    }
    for (std::int64_t q = 0; q < size; ++q) y[start + q] = best[q];
    for (std::int64_t q = 0; q < size; ++q) argmax[start + q] = static_cast<std::uint8_t>(index[q]);
  }
}

void pool_planes(const PoolSizes& z, std::int64_t begin, std::int64_t end, const float* x, float* y,
                 std::uint8_t* argmax) {
  const bool is_two = z.kernel == 2 && z.stride == 2;
  for (std::int64_t plane = begin; plane < end; ++plane) {
    for (std::int64_t p = 0; p < z.p; ++p) {
      const float* rows = x + (plane * z.h + p * z.stride) * z.w;
      const std::int64_t to = (plane * z.p + p) * z.q;
      if (is_two) {
        pool_row<2, 2>(z, rows, y + to, argmax + to);
      } else {
        pool_row<0, 0>(z, rows, y + to, argmax + to);
      }
    }
  }
}

/// Windows that do not overlap and leave no rim: every dx is written once.
void spread_planes_of_two(const PoolSizes& z, std::int64_t begin, std::int64_t end, const float* dy,
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
    const auto launch = [=, threads = context.threads](const Arguments& a) {
      const auto body = [&](auto begin, auto end) {
        pool_planes(z, begin, end, input(a, 0), output(a, 0), output_of<std::uint8_t>(a, 1));
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
    const bool tiles = z.kernel == 2 && z.stride == 2 && z.h == 2 * z.p && z.w == 2 * z.q && !accumulate;
    const auto launch = [=, threads = context.threads](const Arguments& a) {
      const auto body = [&](auto begin, auto end) {
        const auto* argmax = input_of<std::uint8_t>(a, 1);
        if (tiles) {
          spread_planes_of_two(z, begin, end, input(a, 0), argmax, output(a, 0));
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
