#include "graph/ops/pool.h"

#include <optional>

#include "kernels/operands.h"
#include "kernels/reference/ops.h"
#include "kernels/reference/sums.h"
#include "kernels/sizes/layers.h"

namespace ddlbench::kernels::reference {
namespace {

/// Returns the index in x of element `within` of the window of output (plane, p, q), or nothing if it is padding.
std::optional<std::int64_t> position(const PoolSizes& z, std::int64_t plane, std::int64_t p, std::int64_t q,
                                     int within) {
  const std::int64_t row = p * z.stride + within / z.kernel - z.padding;
  const std::int64_t column = q * z.stride + within % z.kernel - z.padding;
  if (row < 0 || row >= z.h || column < 0 || column >= z.w) return std::nullopt;
  return (plane * z.h + row) * z.w + column;
}

/// Calls body(index in y, plane, p, q) for every window.
void for_each_window(const auto& z, auto&& body) {
  std::int64_t i = 0;
  for (std::int64_t plane = 0; plane < z.planes; ++plane)
    for (std::int64_t p = 0; p < z.p; ++p)
      for (std::int64_t q = 0; q < z.q; ++q, ++i) body(i, plane, p, q);
}

/// The position of the first maximum, in x and within the window.
struct Largest {
  std::int64_t at = 0;
  int within = 0;
};

Largest largest_of_window(const PoolSizes& z, const float* x, std::int64_t plane, std::int64_t p, std::int64_t q) {
  std::optional<Largest> best;
  for (int within = 0; within < z.kernel * z.kernel; ++within) {
    const auto at = position(z, plane, p, q, within);
    if (at && (!best || x[*at] > x[best->at])) best = {*at, within};
  }
  return best.value();
}

/// Calls body(index in x, index in y, weight) for every element of every window.
void for_each_term(const PoolSizes& z, auto&& body) {
  const double weight = 1.0 / (z.kernel * z.kernel);
  for_each_window(z, [&](auto i, auto plane, auto p, auto q) {
    for (int within = 0; within < z.kernel * z.kernel; ++within) {
      if (const auto at = position(z, plane, p, q, within)) body(*at, i, weight);
    }
  });
}

void for_each_term(const AdaptivePoolSizes& z, auto&& body) {
  const auto begin = [](std::int64_t i, std::int64_t size, std::int64_t windows) { return i * size / windows; };
  const auto end = [](std::int64_t i, std::int64_t size, std::int64_t windows) {
    return ((i + 1) * size + windows - 1) / windows;
  };
  for_each_window(z, [&](auto i, auto plane, auto p, auto q) {
    const std::int64_t top = begin(p, z.h, z.p), bottom = end(p, z.h, z.p);
    const std::int64_t left = begin(q, z.w, z.q), right = end(q, z.w, z.q);
    const double weight = 1.0 / static_cast<double>((bottom - top) * (right - left));
    for (std::int64_t row = top; row < bottom; ++row)
      for (std::int64_t column = left; column < right; ++column) body((plane * z.h + row) * z.w + column, i, weight);
  });
}

/// Returns a kernel for the weighted sum of x over each window.
std::unique_ptr<Kernel> mean_kernel(const Binding& binding, const auto& z) {
  const std::int64_t outputs = z.planes * z.p * z.q;
  return make_kernel(binding, sums_bytes(outputs), [z, outputs, accumulate = binding.accumulate](const Arguments& a) {
    const float* x = input(a, 0);
    const auto y = sums(a, outputs);
    for_each_term(z, [&](auto xi, auto yi, double weight) { y[static_cast<std::size_t>(yi)] += weight * x[xi]; });
    write_all(output(a, 0), y, accumulate);
  });
}

std::unique_ptr<Kernel> mean_backward_kernel(const Binding& binding, const auto& z) {
  const std::int64_t images = z.planes * z.h * z.w;
  return make_kernel(binding, sums_bytes(images), [z, images, accumulate = binding.accumulate](const Arguments& a) {
    const float* dy = input(a, 0);
    const auto dx = sums(a, images);
    for_each_term(z, [&](auto xi, auto yi, double weight) { dx[static_cast<std::size_t>(xi)] += weight * dy[yi]; });
    write_all(output(a, 0), dx, accumulate);
  });
}

}  // namespace

DDLBENCH_REFERENCE_KERNEL(max_pool2d) {
  const auto z = sizes_of_max_pool2d(binding);
  return make_kernel(binding, [z](const Arguments& a) {
    const float* x = input(a, 0);
    for_each_window(z, [&](auto i, auto plane, auto p, auto q) {
      const Largest largest = largest_of_window(z, x, plane, p, q);
      output(a, 0)[i] = x[largest.at];
      output_of<std::uint8_t>(a, 1)[i] = static_cast<std::uint8_t>(largest.within);
    });
  });
}

DDLBENCH_REFERENCE_KERNEL(max_pool2d_backward) {
  const auto z = sizes_of_max_pool2d_backward(binding);
  return make_kernel(binding, sums_bytes(z.planes * z.h * z.w),
                     [z, accumulate = binding.accumulate](const Arguments& a) {
                       const float* dy = input(a, 0);
                       const auto dx = sums(a, z.planes * z.h * z.w);
                       for_each_window(z, [&](auto i, auto plane, auto p, auto q) {
                         if (const auto at = position(z, plane, p, q, input_of<std::uint8_t>(a, 1)[i]))
                           dx[static_cast<std::size_t>(*at)] += dy[i];
                       });
                       write_all(output(a, 0), dx, accumulate);
                     });
}

DDLBENCH_REFERENCE_KERNEL(average_pool2d) {
  return mean_kernel(binding, sizes_of_average_pool2d(binding));
}

DDLBENCH_REFERENCE_KERNEL(average_pool2d_backward) {
  return mean_backward_kernel(binding, sizes_of_average_pool2d_backward(binding));
}

DDLBENCH_REFERENCE_KERNEL(adaptive_average_pool2d) {
  return mean_kernel(binding, sizes_of_adaptive_average_pool2d(binding));
}

DDLBENCH_REFERENCE_KERNEL(adaptive_average_pool2d_backward) {
  return mean_backward_kernel(binding, sizes_of_adaptive_average_pool2d_backward(binding));
}

}  // namespace ddlbench::kernels::reference
