#pragma once

#include "graph/ops/pool.h"

#include <cstdint>

#include "kernels/own/bind.h"
#include "kernels/own/divider.h"
#include "kernels/own/pool_windows.h"
#include "kernels/sizes.h"

namespace ddlbench::kernels::own {

/// Of 2 × 2 windows side by side in rows of whole quads: a thread takes two windows, which are four elements of two
/// rows.
constexpr int quad = 4;

inline MovingWindows rows_of(const PoolSizes& z) {
  return {Divider(z.stride), z.kernel, z.padding, z.h, z.p};
}
inline MovingWindows columns_of(const PoolSizes& z) {
  return {Divider(z.stride), z.kernel, z.padding, z.w, z.q};
}

inline bool is_tiled_by_quads(const PoolSizes& z) {
  return z.kernel == 2 && z.stride == 2 && z.padding == 0 && z.w % quad == 0;
}

template <class T>
struct MaxPoolBody {
  Divider p, q;
  MovingWindows rows, columns;
  std::int64_t planes;
  const T* x;
  T* y;
  std::uint8_t* argmax;

  template <class Team>
  DDLBENCH_DEVICE void operator()(Team& team) const {
    each_index(team, planes * rows.windows * columns.windows, [&](std::int64_t i) {
      const std::int64_t line = q.quotient(i), plane = p.quotient(line);
      const std::int64_t row = line - plane * rows.windows, column = i - line * columns.windows;
      const Range down = rows.within(row), across = columns.within(column);
      const std::int64_t corner = (plane * rows.size + rows.corner(row)) * columns.size + columns.corner(column);
      std::int64_t index = down.begin * rows.kernel + across.begin;
      float best = to_f32(x[corner + down.begin * columns.size + across.begin]);
      for (std::int64_t r = down.begin; r < down.end; ++r) {
        for (std::int64_t s = across.begin; s < across.end; ++s) {
          const float value = to_f32(x[corner + r * columns.size + s]);
          if (value > best) best = value, index = r * rows.kernel + s;
        }
      }
      y[i] = from_f32<T>(best);
      argmax[i] = static_cast<std::uint8_t>(index);
    });
  }
};

template <class T>
struct MaxPoolQuadsBody {
  Divider p, pairs;  ///< pairs of windows in a row
  PoolSizes z;
  const T* x;
  T* y;
  std::uint8_t* argmax;

  template <class Team>
  DDLBENCH_DEVICE void operator()(Team& team) const {
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

/// Each element of dx gathers from the windows that hold it, in their order.
template <class T>
struct MaxPoolBackwardBody {
  Divider h, w;
  MovingWindows rows, columns;
  std::int64_t planes;
  const T* dy;
  const std::uint8_t* argmax;
  T* dx;
  bool accumulate;

  template <class Team>
  DDLBENCH_DEVICE void operator()(Team& team) const {
    each_index(team, planes * rows.size * columns.size, [&](std::int64_t i) {
      const std::int64_t line = w.quotient(i), plane = h.quotient(line);
      const std::int64_t row = line - plane * rows.size, column = i - line * columns.size;
      const Range down = rows.holding(row), across = columns.holding(column);
      float total = 0;
      for (std::int64_t p = down.begin; p < down.end; ++p) {
        for (std::int64_t q = across.begin; q < across.end; ++q) {
          const std::int64_t at = (plane * rows.windows + p) * columns.windows + q;
          const std::int64_t within = (row - rows.corner(p)) * rows.kernel + column - columns.corner(q);
          if (argmax[at] == within) total += to_f32(dy[at]);
        }
      }
      store_one(dx + i, total, accumulate);
    });
  }
};

/// Of windows that leave no rim.
template <class T>
struct MaxPoolBackwardQuadsBody {
  Divider p, pairs;
  PoolSizes z;
  const T* dy;
  const std::uint8_t* argmax;
  T* dx;
  bool accumulate;

  template <class Team>
  DDLBENCH_DEVICE void operator()(Team& team) const {
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

template <class Launcher>
std::unique_ptr<Kernel> bind_max_pool2d(const Binding& binding, const Launcher& launcher) {
  const auto z = sizes_of_max_pool2d(binding, Storage::any_float);
  return with_storage(binding.inputs[0].dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return make_kernel(flops_of(binding), [=](const Arguments& a) {
      const T* x = input_of<T>(a, 0);
      T* y = output_of<T>(a, 0);
      auto* argmax = output_of<std::uint8_t>(a, 1);
      const std::int64_t windows = z.planes * z.p * z.q;
      if (is_tiled_by_quads(z) && aligned({x, y, argmax})) {
        const MaxPoolQuadsBody<T> body{divider_of(z.p), divider_of(z.q / 2), z, x, y, argmax};
        launcher.items("max_pool2d", windows / 2, body);
      } else {
        const MaxPoolBody<T> body{divider_of(z.p), divider_of(z.q), rows_of(z), columns_of(z), z.planes, x, y, argmax};
        launcher.items("max_pool2d", windows, body);
      }
    });
  });
}

template <class Launcher>
std::unique_ptr<Kernel> bind_max_pool2d_backward(const Binding& binding, const Launcher& launcher) {
  const auto z = sizes_of_max_pool2d_backward(binding, Storage::any_float);
  return with_storage(binding.inputs[0].dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return make_kernel(flops_of(binding), [=, accumulate = binding.accumulate](const Arguments& a) {
      const T* dy = input_of<T>(a, 0);
      const auto* argmax = input_of<std::uint8_t>(a, 1);
      T* dx = output_of<T>(a, 0);
      if (is_tiled_by_quads(z) && z.h == 2 * z.p && aligned({dy, argmax, dx})) {
        const MaxPoolBackwardQuadsBody<T> body{divider_of(z.p), divider_of(z.q / 2), z, dy, argmax, dx, accumulate};
        launcher.items("max_pool2d_backward", z.planes * z.p * z.q / 2, body);
      } else {
        const MaxPoolBackwardBody<T> body{
            divider_of(z.h), divider_of(z.w), rows_of(z), columns_of(z), z.planes, dy, argmax, dx, accumulate};
        launcher.items("max_pool2d_backward", z.planes * z.h * z.w, body);
      }
    });
  });
}

}  // namespace ddlbench::kernels::own
