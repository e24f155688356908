#pragma once

#include <cstdint>

#include "kernels/own/bind.h"
#include "kernels/own/pool.h"
#include "kernels/own/pool_windows.h"

/// Average pooling with a fixed window and stride, and adaptive average pooling. Forward, a thread sums a window.
/// Backward, each element of dx sums the gradients from the windows that contain it, in window order.
namespace ddlbench::kernels::own {

template <class T>
struct AveragePoolBody {
  Divider p, q;
  SlidingWindows rows, columns;
  std::int64_t planes;
  const T* x;
  T* y;
  float weight;
  bool accumulate;

  DDLBENCH_DEVICE void operator()(auto& team) const {
    each_index(team, planes * rows.windows * columns.windows, [&](std::int64_t i) {
      const std::int64_t line = q.quotient(i), plane = p.quotient(line);
      const std::int64_t row = line - plane * rows.windows, column = i - line * columns.windows;
      const Range down = rows.within(row), across = columns.within(column);
      const std::int64_t corner = (plane * rows.size + rows.corner(row)) * columns.size + columns.corner(column);
      float sum = 0;
      for (std::int64_t r = down.begin; r < down.end; ++r) {
        for (std::int64_t s = across.begin; s < across.end; ++s) sum += to_f32(x[corner + r * columns.size + s]);
      }
      store_one(y + i, weight * sum, accumulate);
    });
  }
};

template <class T>
struct AveragePoolBackwardBody {
  Divider h, w;
  SlidingWindows rows, columns;
  std::int64_t planes;
  const T* dy;
  T* dx;
  float weight;
  bool accumulate;

  DDLBENCH_DEVICE void operator()(auto& team) const {
    each_index(team, planes * rows.size * columns.size, [&](std::int64_t i) {
      const std::int64_t line = w.quotient(i), plane = h.quotient(line);
      const Range down = rows.windows_containing(line - plane * rows.size),
                  across = columns.windows_containing(i - line * columns.size);
      float sum = 0;
      for (std::int64_t p = down.begin; p < down.end; ++p) {
        const T* from = dy + (plane * rows.windows + p) * columns.windows;
        for (std::int64_t q = across.begin; q < across.end; ++q) sum += to_f32(from[q]);
      }
      store_one(dx + i, weight * sum, accumulate);
    });
  }
};

template <class T>
struct AdaptiveAveragePoolBody {
  AdaptiveWindows rows, columns;
  std::int64_t planes;
  const T* x;
  T* y;
  bool accumulate;

  DDLBENCH_DEVICE void operator()(auto& team) const {
    const std::int64_t height = rows.size.divisor(), width = columns.size.divisor();
    each_index(team, planes * rows.windows.divisor() * columns.windows.divisor(), [&](std::int64_t i) {
      const std::int64_t line = columns.windows.quotient(i), plane = rows.windows.quotient(line);
      const Range down = rows.of(line - plane * rows.windows.divisor());
      const Range across = columns.of(i - line * columns.windows.divisor());
      float sum = 0;
      for (std::int64_t r = down.begin; r < down.end; ++r) {
        const T* from = x + (plane * height + r) * width;
        for (std::int64_t s = across.begin; s < across.end; ++s) sum += to_f32(from[s]);
      }
      store_one(y + i, sum / static_cast<float>(down.size() * across.size()), accumulate);
    });
  }
};

/// Adaptive average pooling to one window: a team sums a plane, whose size is a multiple of `width`.
template <class T, int width>
struct PlaneMeansBody {
  std::int64_t planes, places;
  const T* x;
  T* y;
  bool accumulate;

  DDLBENCH_DEVICE void operator()(auto& team) const {
    for (std::int64_t plane = team.index(); plane < planes; plane += team.count()) {
      const T* from = x + plane * places;
      const float sum = team.reduce(Sum{}, [&](int thread) {
        float part = 0;
        each_of_row<width>(team, thread, places, [&](std::int64_t i) {
          const auto values = load<width>(from + i);
          for (int k = 0; k < width; ++k) part += values.of[k];
        });
        return part;
      });
      team.each([&](int thread) {
        if (thread == 0) store_one(y + plane, sum / static_cast<float>(places), accumulate);
      });
    }
  }
};

template <class T>
struct AdaptiveAveragePoolBackwardBody {
  AdaptiveWindows rows, columns;
  std::int64_t planes;
  const T* dy;
  T* dx;
  bool accumulate;

  DDLBENCH_DEVICE void operator()(auto& team) const {
    const std::int64_t height = rows.size.divisor(), width = columns.size.divisor();
    each_index(team, planes * height * width, [&](std::int64_t i) {
      const std::int64_t line = columns.size.quotient(i), plane = rows.size.quotient(line);
      const Range down = rows.windows_containing(line - plane * height),
                  across = columns.windows_containing(i - line * width);
      float sum = 0;
      for (std::int64_t p = down.begin; p < down.end; ++p) {
        const T* from = dy + (plane * rows.windows.divisor() + p) * columns.windows.divisor();
        const std::int64_t window_rows = rows.of(p).size();
        for (std::int64_t q = across.begin; q < across.end; ++q) {
          sum += to_f32(from[q]) / static_cast<float>(window_rows * columns.of(q).size());
        }
      }
      store_one(dx + i, sum, accumulate);
    });
  }
};

inline float weight_of(const PoolSizes& z) {
  return 1.0f / static_cast<float>(z.kernel * z.kernel);
}

inline AdaptiveWindows rows_of(const AdaptivePoolSizes& z) {
  return {Divider(z.h), Divider(z.p)};
}
inline AdaptiveWindows columns_of(const AdaptivePoolSizes& z) {
  return {Divider(z.w), Divider(z.q)};
}

std::unique_ptr<Kernel> bind_average_pool2d(const Binding& binding, const auto& launcher) {
  const auto z = sizes_of_average_pool2d(binding, Storage::any_float);
  return with_storage(binding.inputs[0].dtype, [&]<class T>(StorageTag<T>) {
    return make_kernel(binding, [=, accumulate = binding.accumulate](const Arguments& a) {
      const AveragePoolBody<T> body{divider_of(z.p),   divider_of(z.q),    rows_of(z),   columns_of(z), z.planes,
                                    input_of<T>(a, 0), output_of<T>(a, 0), weight_of(z), accumulate};
      launcher.items("average_pool2d", z.planes * z.p * z.q, body);
    });
  });
}

std::unique_ptr<Kernel> bind_average_pool2d_backward(const Binding& binding, const auto& launcher) {
  const auto z = sizes_of_average_pool2d_backward(binding, Storage::any_float);
  return with_storage(binding.inputs[0].dtype, [&]<class T>(StorageTag<T>) {
    return make_kernel(binding, [=, accumulate = binding.accumulate](const Arguments& a) {
      const AveragePoolBackwardBody<T> body{divider_of(z.h),    divider_of(z.w), rows_of(z),
                                            columns_of(z),      z.planes,        input_of<T>(a, 0),
                                            output_of<T>(a, 0), weight_of(z),    accumulate};
      launcher.items("average_pool2d_backward", z.planes * z.h * z.w, body);
    });
  });
}

std::unique_ptr<Kernel> bind_adaptive_average_pool2d(const Binding& binding, const auto& launcher) {
  const auto z = sizes_of_adaptive_average_pool2d(binding, Storage::any_float);
  return with_storage(binding.inputs[0].dtype, [&]<class T>(StorageTag<T>) {
    return make_kernel(binding, [=, accumulate = binding.accumulate](const Arguments& a) {
      const T* x = input_of<T>(a, 0);
      T* y = output_of<T>(a, 0);
      const std::int64_t places = z.h * z.w;
      if (z.p * z.q == 1) {
        with_width<T>(places % vector_width<T> == 0 && aligned({x}), [&](auto width) {
          const PlaneMeansBody<T, width()> body{z.planes, places, x, y, accumulate};
          launch_rows(launcher, "adaptive_average_pool2d", z.planes, places, body);
        });
      } else {
        const AdaptiveAveragePoolBody<T> body{rows_of(z), columns_of(z), z.planes, x, y, accumulate};
        launcher.items("adaptive_average_pool2d", z.planes * z.p * z.q, body);
      }
    });
  });
}

std::unique_ptr<Kernel> bind_adaptive_average_pool2d_backward(const Binding& binding, const auto& launcher) {
  const auto z = sizes_of_adaptive_average_pool2d_backward(binding, Storage::any_float);
  return with_storage(binding.inputs[0].dtype, [&]<class T>(StorageTag<T>) {
    return make_kernel(binding, [=, accumulate = binding.accumulate](const Arguments& a) {
      const AdaptiveAveragePoolBackwardBody<T> body{rows_of(z),        columns_of(z),      z.planes,
                                                    input_of<T>(a, 0), output_of<T>(a, 0), accumulate};
      launcher.items("adaptive_average_pool2d_backward", z.planes * z.h * z.w, body);
    });
  });
}

}  // namespace ddlbench::kernels::own
