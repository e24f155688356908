#include "kernels/cpu/pool_blocks.h"

#include <algorithm>

#include "kernels/binding.h"
#include "kernels/cpu/blocks.h"
#include "kernels/cpu/parallel.h"
#include "kernels/cpu/vector.h"
#include "kernels/own/bind.h"

namespace ddlbench::kernels::cpu {
namespace {

using own::from_f32;

/// Calls body(kernel) with the side of a window, as a compile-time constant if it is 2 or 3, so that loops over the
/// window are unrolled.
void with_kernel(int kernel, const auto& body) {
  if (kernel == 2) return body(std::integral_constant<int, 2>{});
  if (kernel == 3) return body(std::integral_constant<int, 3>{});
  body(kernel);
}

/// Calls body(within, pixel) for the elements of a window that are inside the image, in row-major order.
void each_place(const PoolSizes& z, auto kernel, std::int64_t p, std::int64_t q, const auto& body) {
  const std::int64_t top = p * z.stride - z.padding, left = q * z.stride - z.padding;
  const auto place = [&](std::int64_t r, std::int64_t s) {
    body(static_cast<std::int32_t>(r * kernel + s), (top + r) * z.w + left + s);
  };
  if (top >= 0 && left >= 0 && top + kernel <= z.h && left + kernel <= z.w) {
    for (int r = 0; r < kernel; ++r)
      for (int s = 0; s < kernel; ++s) place(r, s);
    return;
  }
  const std::int64_t last_row = std::min<std::int64_t>(kernel, z.h - top);
  const std::int64_t last_column = std::min<std::int64_t>(kernel, z.w - left);
  for (std::int64_t r = std::max<std::int64_t>(0, -top); r < last_row; ++r)
    for (std::int64_t s = std::max<std::int64_t>(0, -left); s < last_column; ++s) place(r, s);
}

/// Calls body(block, plane) for each plane of [h, w, block].
void each_plane(int threads, const PoolSizes& z, const auto& body) {
  parallel_for(threads, z.planes / z.block, z.planes * z.h * z.w, [&](std::int64_t begin, std::int64_t end) {
    with_block(z.block, [&](auto block) {
      for (std::int64_t plane = begin; plane < end; ++plane) body(block, plane);
    });
  });
}

/// Calls body(kernel, window, p, q) for each window of a plane. `window` counts over all planes.
void each_window(const PoolSizes& z, std::int64_t plane, const auto& body) {
  with_kernel(z.kernel, [&](auto kernel) {
    for (std::int64_t p = 0; p < z.p; ++p)
      for (std::int64_t q = 0; q < z.q; ++q) body(kernel, (plane * z.p + p) * z.q + q, p, q);
  });
}

/// Calls body(lanes, c) for the channels of a block, vector by vector; one by one if the block is not a compile-time
/// constant.
template <class Block, class Body>
void each_vector(Block block, const Body& body) {
  if constexpr (std::is_same_v<Block, std::int64_t>) {
    for (std::int64_t c = 0; c < block; ++c) body(std::integral_constant<int, 1>{}, c);
  } else {
    constexpr int lanes = std::min<int>(block, vector_lanes);
    for (std::int64_t c = 0; c < block; c += lanes) body(std::integral_constant<int, lanes>{}, c);
  }
}

template <class T>
void pool(int threads, const PoolSizes& z, const T* x, T* y, std::uint8_t* argmax) {
  each_plane(threads, z, [&](auto block, std::int64_t plane) {
    const T* image = x + plane * z.h * z.w * block;
    each_window(z, plane, [&](auto kernel, std::int64_t window, std::int64_t p, std::int64_t q) {
      const std::int64_t r = std::max<std::int64_t>(0, z.padding - p * z.stride);
      const std::int64_t s = std::max<std::int64_t>(0, z.padding - q * z.stride);
      const std::int64_t first = (p * z.stride - z.padding + r) * z.w + q * z.stride - z.padding + s;
      each_vector(block, [&](auto lanes, std::int64_t c) {
        FloatVector<lanes> best = load_vector<lanes>(image + first * block + c);
        IntegerVector<lanes> index = IntegerVector<lanes>{} + static_cast<std::int32_t>(r * kernel + s);
        each_place(z, kernel, p, q, [&](std::int32_t within, std::int64_t pixel) {
          const FloatVector<lanes> value = load_vector<lanes>(image + pixel * block + c);
          const IntegerVector<lanes> takes = value > best;
          best = takes ? value : best;
          index = takes ? IntegerVector<lanes>{} + within : index;
        });
        store_vector<lanes>(y + window * block + c, best);
        store_bytes<lanes>(argmax + window * block + c, index);
      });
    });
  });
}

/// Computes the gradient. If windows do not overlap and `accumulate` is false, does not read the elements that it
/// writes.
template <class T>
void spread(int threads, const PoolSizes& z, const T* dy, const std::uint8_t* argmax, T* dx, bool accumulate) {
  const bool overlap = z.kernel > z.stride;
  const bool cover =
      !overlap && z.kernel == z.stride && z.padding == 0 && z.h == z.p * z.stride && z.w == z.q * z.stride;
  each_plane(threads, z, [&](auto block, std::int64_t plane) {
    T* image = dx + plane * z.h * z.w * block;
    if (!accumulate && !cover) std::fill(image, image + z.h * z.w * block, from_f32<T>(0));
    each_window(z, plane, [&](auto kernel, std::int64_t window, std::int64_t p, std::int64_t q) {
      each_vector(block, [&](auto lanes, std::int64_t c) {
        const FloatVector<lanes> gradient = load_vector<lanes>(dy + window * block + c);
        const IntegerVector<lanes> index = load_bytes<lanes>(argmax + window * block + c);
        each_place(z, kernel, p, q, [&](std::int32_t within, std::int64_t pixel) {
          T* to = image + pixel * block + c;
          FloatVector<lanes> share = index == within ? gradient : FloatVector<lanes>{};
          if (accumulate || overlap) share += load_vector<lanes>(to);
          store_vector<lanes>(to, share);
        });
      });
    });
  });
}

}  // namespace

void pool_blocks(int threads, const PoolSizes& z, graph::DType dtype, const void* x, void* y, std::uint8_t* argmax) {
  own::with_storage(dtype, [&]<class T>(own::StorageTag<T>) {
    pool(threads, z, static_cast<const T*>(x), static_cast<T*>(y), argmax);
  });
}

void spread_blocks(int threads, const PoolSizes& z, graph::DType dtype, const void* dy, const std::uint8_t* argmax,
                   void* dx, bool accumulate) {
  own::with_storage(dtype, [&]<class T>(own::StorageTag<T>) {
    spread(threads, z, static_cast<const T*>(dy), argmax, static_cast<T*>(dx), accumulate);
  });
}

}  // namespace ddlbench::kernels::cpu
