#include "graph/ops/pool.h"

#include "kernels/operands.h"
#include "kernels/reference/ops.h"
#include "kernels/reference/sums.h"
#include "kernels/sizes.h"

namespace ddlbench::kernels::reference {
namespace {

/// Index in x of element `within` of the window of output (plane, p, q).
std::int64_t position(const PoolSizes& z, std::int64_t plane, std::int64_t p, std::int64_t q, int within) {
  const std::int64_t row = p * z.stride + within / z.kernel, column = q * z.stride + within % z.kernel;
  return (plane * z.h + row) * z.w + column;
}

}  // namespace

void add_max_pool2d(KernelTable& table) {
  table.add("max_pool2d", [](const Binding& binding) {
    const auto z = sizes_of_max_pool2d(binding);
    return make_kernel(flops_of(binding), [z](const Arguments& a) {
      const float* x = input(a, 0);
      std::int64_t i = 0;
      for (std::int64_t plane = 0; plane < z.planes; ++plane) {
        for (std::int64_t p = 0; p < z.p; ++p) {
          for (std::int64_t q = 0; q < z.q; ++q, ++i) {
            int largest = 0;
            for (int within = 1; within < z.kernel * z.kernel; ++within) {
              if (x[position(z, plane, p, q, within)] > x[position(z, plane, p, q, largest)]) largest = within;
            }
            output(a, 0)[i] = x[position(z, plane, p, q, largest)];
            output_of<std::uint8_t>(a, 1)[i] = static_cast<std::uint8_t>(largest);
          }
        }
      }
    });
  });
}

void add_max_pool2d_backward(KernelTable& table) {
  table.add("max_pool2d_backward", [](const Binding& binding) {
    const auto z = sizes_of_max_pool2d_backward(binding);
    return make_kernel(
        flops_of(binding),
        [z, accumulate = binding.accumulate](const Arguments& a) {
          const float* dy = input(a, 0);
          const auto dx = sums(a, z.planes * z.h * z.w);
          std::int64_t i = 0;
          for (std::int64_t plane = 0; plane < z.planes; ++plane) {
            for (std::int64_t p = 0; p < z.p; ++p) {
              for (std::int64_t q = 0; q < z.q; ++q, ++i) {
                const int within = input_of<std::uint8_t>(a, 1)[i];
                dx[static_cast<std::size_t>(position(z, plane, p, q, within))] += dy[i];
              }
            }
          }
          write_all(output(a, 0), dx, accumulate);
        },
        sums_bytes(z.planes * z.h * z.w));
  });
}

}  // namespace ddlbench::kernels::reference
