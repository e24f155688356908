#include "kernels/cpu/pool_blocks.h"

#include <algorithm>

#include "kernels/binding.h"
#include "kernels/cpu/blocks.h"
#include "kernels/cpu/loops.h"
#include "kernels/cpu/parallel.h"
#include "kernels/own/bind.h"

namespace ddlbench::kernels::cpu {
namespace {

using own::from_f32;
using own::to_f32;

/// body(within, pixel) for the places of a window that lie in the image, in their order.
template <class Body>
void each_place(const PoolSizes& z, std::int64_t p, std::int64_t q, const Body& body) {
  const std::int64_t top = p * z.stride - z.padding, left = q * z.stride - z.padding;
  const std::int64_t last_row = std::min<std::int64_t>(z.kernel, z.h - top);
  const std::int64_t last_column = std::min<std::int64_t>(z.kernel, z.w - left);
  for (std::int64_t r = std::max<std::int64_t>(0, -top); r < last_row; ++r)
    for (std::int64_t s = std::max<std::int64_t>(0, -left); s < last_column; ++s)
      body(static_cast<std::int32_t>(r * z.kernel + s), (top + r) * z.w + left + s);
}

/// Calls body(block, plane) for each plane of [h, w, block].
template <class Body>
void each_plane(int threads, const PoolSizes& z, const Body& body) {
  parallel_for(threads, z.planes / z.block, z.planes * z.h * z.w, [&](std::int64_t begin, std::int64_t end) {
    with_block(z.block, [&](auto block) {
      for (std::int64_t plane = begin; plane < end; ++plane) body(block, plane);
    });
  });
}

/// body(window, p, q) for the windows of a plane, counted over all planes.
template <class Body>
void each_window(const PoolSizes& z, std::int64_t plane, const Body& body) {
  for (std::int64_t p = 0; p < z.p; ++p)
    for (std::int64_t q = 0; q < z.q; ++q) body((plane * z.p + p) * z.q + q, p, q);
}

template <class T>
void pool(int threads, const PoolSizes& z, const T* x, T* y, std::uint8_t* argmax) {
  each_plane(threads, z, [&](auto block, std::int64_t plane) {
    const T* image = x + plane * z.h * z.w * block;
    each_window(z, plane, [&](std::int64_t window, std::int64_t p, std::int64_t q) {
      float best[longest_channel_block];
      std::int32_t index[longest_channel_block];  // as wide as the values: one mask selects both
      bool is_first = true;
      each_place(z, p, q, [&](std::int32_t within, std::int64_t pixel) {
        const T* from = image + pixel * block;
        for (std::int64_t c = 0; c < block; ++c) {
          const float value = to_f32(from[c]);
          const bool takes = is_first || value > best[c];
          best[c] = takes ? value : best[c];
          index[c] = takes ? within : index[c];
        }
        is_first = false;
      });
      for (std::int64_t c = 0; c < block; ++c) {
        y[window * block + c] = from_f32<T>(best[c]);
        argmax[window * block + c] = static_cast<std::uint8_t>(index[c]);
      }
    });
  });
}

/// Where no windows overlap each place is written once, without being read.
template <class T>
void spread(int threads, const PoolSizes& z, const T* dy, const std::uint8_t* argmax, T* dx, bool accumulate) {
  const bool overlap = z.kernel > z.stride;
  const bool cover =
      !overlap && z.kernel == z.stride && z.padding == 0 && z.h == z.p * z.stride && z.w == z.q * z.stride;
  each_plane(threads, z, [&](auto block, std::int64_t plane) {
    T* image = dx + plane * z.h * z.w * block;
    if (!accumulate && !cover) std::fill(image, image + z.h * z.w * block, from_f32<T>(0));
    each_window(z, plane, [&](std::int64_t window, std::int64_t p, std::int64_t q) {
      float gradient[longest_channel_block];
      std::int32_t index[longest_channel_block];
      for (std::int64_t c = 0; c < block; ++c) {
        gradient[c] = to_f32(dy[window * block + c]);
        index[c] = argmax[window * block + c];
      }
      each_place(z, p, q, [&](std::int32_t within, std::int64_t pixel) {
        T* to = image + pixel * block;
        with_flag(accumulate || overlap, [&](auto adds) {
          for (std::int64_t c = 0; c < block; ++c)
            own::store_one(to + c, index[c] == within ? gradient[c] : 0.0f, adds());
        });
      });
    });
  });
}

}  // namespace

void pool_blocks(int threads, const PoolSizes& z, graph::DType dtype, const void* x, void* y, std::uint8_t* argmax) {
  own::with_storage(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    pool(threads, z, static_cast<const T*>(x), static_cast<T*>(y), argmax);
  });
}

void spread_blocks(int threads, const PoolSizes& z, graph::DType dtype, const void* dy, const std::uint8_t* argmax,
                   void* dx, bool accumulate) {
  own::with_storage(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    spread(threads, z, static_cast<const T*>(dy), argmax, static_cast<T*>(dx), accumulate);
  });
}

}  // namespace ddlbench::kernels::cpu
