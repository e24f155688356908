#pragma once

#include "graph/ops/pool.h"

#include <cstdint>

#include "kernels/own/bind.h"
#include "kernels/own/divider.h"
#include "kernels/own/pool_windows.h"
#include "kernels/sizes/layers.h"

namespace ddlbench::kernels::own {

/// For 2 × 2 windows of stride 2 in rows whose length is a multiple of 4: a thread processes two windows, which are
/// four elements of each of two rows.
constexpr int quad = 4;

inline SlidingWindows rows_of(const PoolSizes& z) {
  return {Divider(z.stride), z.kernel, z.padding, z.h, z.p};
}
inline SlidingWindows columns_of(const PoolSizes& z) {
  return {Divider(z.stride), z.kernel, z.padding, z.w, z.q};
}

inline bool is_tiled_by_quads(const PoolSizes& z) {
  return z.kernel == 2 && z.stride == 2 && z.padding == 0 && z.w % quad == 0 && z.block == 1;
}

/// For channels-last images: a thread processes a pack of `width` channels. A row-major plane counts as an image with
/// one channel.
template <class T, int width>
struct MaxPoolBody {
  Divider p, q, packs;  ///< packs: number of channel packs
  SlidingWindows rows, columns;
  std::int64_t images;
  const T* x;
  T* y;
  std::uint8_t* argmax;

  DDLBENCH_DEVICE void operator()(auto& team) const {
    const std::int64_t channels = packs.divisor() * width;
    each_index(team, images * rows.windows * columns.windows * packs.divisor(), [&](std::int64_t i) {
      const std::int64_t window = packs.quotient(i), line = q.quotient(window), image = p.quotient(line);
      const std::int64_t row = line - image * rows.windows, column = window - line * columns.windows;
      const Range down = rows.within(row), across = columns.within(column);
      const std::int64_t corner = (image * rows.size + rows.corner(row)) * columns.size + columns.corner(column);
      const T* from = x + (i - window * packs.divisor()) * width;
      Floats<width> best = load<width>(from + (corner + down.begin * columns.size + across.begin) * channels);
      Pack<std::uint8_t, width> index;
      for (int k = 0; k < width; ++k) index.of[k] = static_cast<std::uint8_t>(down.begin * rows.kernel + across.begin);
      for (std::int64_t r = down.begin; r < down.end; ++r) {
        for (std::int64_t s = across.begin; s < across.end; ++s) {
          const auto values = load<width>(from + (corner + r * columns.size + s) * channels);
          for (int k = 0; k < width; ++k) {
            if (!(values.of[k] > best.of[k])) continue;
            best.of[k] = values.of[k];
            index.of[k] = static_cast<std::uint8_t>(r * rows.kernel + s);
          }
        }
      }
      store<width>(y + i * width, best);
      *reinterpret_cast<Pack<std::uint8_t, width>*>(argmax + i * width) = index;
    });
  }
};

template <class T>
struct MaxPoolQuadsBody {
  Divider p, pairs;  ///< pairs: pairs of windows per row
  PoolSizes z;
  const T* x;
  T* y;
  std::uint8_t* argmax;

  DDLBENCH_DEVICE void operator()(auto& team) const {
    each_index(team, z.planes * z.p * pairs.divisor(), [&](std::int64_t item) {
      const std::int64_t row = pairs.quotient(item), plane = p.quotient(row);
      const T* from = x + (plane * z.h + (row - plane * z.p) * 2) * z.w + (item - row * pairs.divisor()) * quad;
      const auto upper = load<quad>(from), lower = load<quad>(from + z.w);
      Floats<2> best;
      Pack<std::uint8_t, 2> index;
      for (int k = 0; k < 2; ++k) {
        const float window[] = {upper.of[2 * k], upper.of[2 * k + 1], lower.of[2 * k], lower.of[2 * k + 1]};
        best.of[k] = window[0];
        index.of[k] = 0;
        for (int within = 1; within < quad; ++within) {
          if (window[within] > best.of[k]) best.of[k] = window[within], index.of[k] = static_cast<std::uint8_t>(within);
        }
      }
      store<2>(y + item * 2, best);
      *reinterpret_cast<Pack<std::uint8_t, 2>*>(argmax + item * 2) = index;
    });
  }
};

/// Each element of dx sums the gradients from the windows that contain it, in window order.
template <class T, int width>
struct MaxPoolBackwardBody {
  Divider h, w, packs;
  SlidingWindows rows, columns;
  std::int64_t images;
  const T* dy;
  const std::uint8_t* argmax;
  T* dx;
  bool accumulate;

  DDLBENCH_DEVICE void operator()(auto& team) const {
    const std::int64_t channels = packs.divisor() * width;
    each_index(team, images * rows.size * columns.size * packs.divisor(), [&](std::int64_t i) {
      const std::int64_t place = packs.quotient(i), line = w.quotient(place), image = h.quotient(line);
      const std::int64_t row = line - image * rows.size, column = place - line * columns.size;
      const std::int64_t channel = (i - place * packs.divisor()) * width;
      const Range down = rows.windows_containing(row), across = columns.windows_containing(column);
      Floats<width> total{};
      for (std::int64_t p = down.begin; p < down.end; ++p) {
        for (std::int64_t q = across.begin; q < across.end; ++q) {
          const std::int64_t at = ((image * rows.windows + p) * columns.windows + q) * channels + channel;
          const std::int64_t within = (row - rows.corner(p)) * rows.kernel + column - columns.corner(q);
          const auto index = *reinterpret_cast<const Pack<std::uint8_t, width>*>(argmax + at);
          const auto gradients = load<width>(dy + at);
          for (int k = 0; k < width; ++k)
            if (index.of[k] == within) total.of[k] += gradients.of[k];
        }
      }
      store<width>(dx + i * width, total, accumulate);
    });
  }
};

/// For windows that cover the whole image.
template <class T>
struct MaxPoolBackwardQuadsBody {
  Divider p, pairs;
  PoolSizes z;
  const T* dy;
  const std::uint8_t* argmax;
  T* dx;
  bool accumulate;

  DDLBENCH_DEVICE void operator()(auto& team) const {
    each_index(team, z.planes * z.p * pairs.divisor(), [&](std::int64_t item) {
      const std::int64_t row = pairs.quotient(item);
      T* to = dx + row * 2 * z.w + (item - row * pairs.divisor()) * quad;
      const auto gradients = load<2>(dy + item * 2);
      const auto index = *reinterpret_cast<const Pack<std::uint8_t, 2>*>(argmax + item * 2);
      Floats<quad> upper, lower;
      for (int k = 0; k < 2; ++k) {
        for (int s = 0; s < 2; ++s) {
          upper.of[2 * k + s] = index.of[k] == s ? gradients.of[k] : 0.0f;
          lower.of[2 * k + s] = index.of[k] == 2 + s ? gradients.of[k] : 0.0f;
        }
      }
      store<quad>(to, upper, accumulate);
      store<quad>(to + z.w, lower, accumulate);
    });
  }
};

/// Calls body(Width<n>, packs), where `packs` is the number of packs of adjacent channels.
template <class T, class Body>
void with_channels(const PoolSizes& z, std::initializer_list<const void*> operands, const Body& body) {
  with_width<T>(z.block % vector_width<T> == 0 && aligned(operands),
                [&](auto width) { body(width, Divider(z.block / width)); });
}

std::unique_ptr<Kernel> bind_max_pool2d(const Binding& binding, const auto& launcher) {
  const auto z = sizes_of_max_pool2d(binding, Storage::any_float);
  return with_storage(binding.inputs[0].dtype, [&]<class T>(StorageTag<T>) {
    return make_kernel(binding, [=](const Arguments& a) {
      const T* x = input_of<T>(a, 0);
      T* y = output_of<T>(a, 0);
      auto* argmax = output_of<std::uint8_t>(a, 1);
      const std::int64_t windows = z.planes * z.p * z.q;
      if (is_tiled_by_quads(z) && aligned({x, y, argmax})) {
        const MaxPoolQuadsBody<T> body{divider_of(z.p), divider_of(z.q / 2), z, x, y, argmax};
        launcher.items("max_pool2d", windows / 2, body);
      } else {
        with_channels<T>(z, {x, y, argmax}, [&](auto width, const Divider& packs) {
          const MaxPoolBody<T, decltype(width)::value> body{
              divider_of(z.p), divider_of(z.q), packs, rows_of(z), columns_of(z), z.planes / z.block, x, y, argmax};
          launcher.items("max_pool2d", windows / width, body);
        });
      }
    });
  });
}

std::unique_ptr<Kernel> bind_max_pool2d_backward(const Binding& binding, const auto& launcher) {
  const auto z = sizes_of_max_pool2d_backward(binding, Storage::any_float);
  return with_storage(binding.inputs[0].dtype, [&]<class T>(StorageTag<T>) {
    return make_kernel(binding, [=, accumulate = binding.accumulate](const Arguments& a) {
      const T* dy = input_of<T>(a, 0);
      const auto* argmax = input_of<std::uint8_t>(a, 1);
      T* dx = output_of<T>(a, 0);
      if (is_tiled_by_quads(z) && z.h == 2 * z.p && aligned({dy, argmax, dx})) {
        const MaxPoolBackwardQuadsBody<T> body{divider_of(z.p), divider_of(z.q / 2), z, dy, argmax, dx, accumulate};
        launcher.items("max_pool2d_backward", z.planes * z.p * z.q / 2, body);
      } else {
        with_channels<T>(z, {dy, argmax, dx}, [&](auto width, const Divider& packs) {
          const MaxPoolBackwardBody<T, decltype(width)::value> body{
              divider_of(z.h), divider_of(z.w), packs, rows_of(z), columns_of(z), z.planes / z.block, dy, argmax, dx,
              accumulate};
          launcher.items("max_pool2d_backward", z.planes * z.h * z.w / width, body);
        });
      }
    });
  });
}

}  // namespace ddlbench::kernels::own
