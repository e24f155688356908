#pragma once

#include "graph/ops/layer_norm.h"

#include <cmath>

#include "kernels/own/row_values.h"
#include "kernels/sizes/transformer.h"

/// A team processes a row. The number of features is a multiple of `width`, and a thread keeps `packs` packs.
namespace ddlbench::kernels::own {

template <class T, int width, int packs>
struct LayerNormBody {
  const T* x;
  const T* gamma;
  const T* beta;
  T* y;
  float* means;
  float* rstds;
  std::int64_t rows, features;
  float epsilon;

  DDLBENCH_DEVICE void operator()(auto& team) const {
    for (std::int64_t row = team.index(); row < rows; row += team.count()) normalise(team, row);
  }

 private:
  template <class Team>
  DDLBENCH_DEVICE void normalise(Team& team, std::int64_t row) const {
    const auto make = [from = x + row * features](std::int64_t i) { return load<width>(from + i); };
    auto kept = team.template per_thread<RowValues<Floats<width>, width, packs>>();
    const float inverse = 1.0f / static_cast<float>(features);
    const float mean = inverse * team.reduce(Sum{}, [&](int thread) {
      float sum = 0;
      kept[thread].make_each(team, thread, features, make, [&](const Floats<width>& values, std::int64_t) {
        for (int k = 0; k < width; ++k) sum += values.of[k];
      });
      return sum;
    });
    const float variance = inverse * team.reduce(Sum{}, [&](int thread) {
      float sum = 0;
      kept[thread].each(team, thread, features, make, [&](const Floats<width>& values, std::int64_t) {
        for (int k = 0; k < width; ++k) sum += (values.of[k] - mean) * (values.of[k] - mean);
      });
      return sum;
    });
    const float rstd = 1.0f / std::sqrt(variance + epsilon);
    team.each([&](int thread) {
      kept[thread].each(team, thread, features, make, [&](const Floats<width>& values, std::int64_t i) {
        const auto scale = load<width>(gamma + i), shift = load<width>(beta + i);
        Floats<width> normal;
        for (int k = 0; k < width; ++k) normal.of[k] = (values.of[k] - mean) * rstd * scale.of[k] + shift.of[k];
        store<width>(y + row * features + i, normal);
      });
      if (thread == 0) means[row] = mean, rstds[row] = rstd;
    });
  }
};

/// Computes the formula that kernels/reference/layer_norm.cpp derives.
template <class T, int width, int packs>
struct LayerNormBackwardInputBody {
  const T* dy;
  const T* x;
  const T* gamma;
  const float* means;
  const float* rstds;
  T* dx;
  std::int64_t rows, features;
  bool accumulate;

  DDLBENCH_DEVICE void operator()(auto& team) const {
    for (std::int64_t row = team.index(); row < rows; row += team.count()) differentiate(team, row);
  }

 private:
  /// g = dy gamma and n = (x − mean) rstd for a pack.
  struct Terms {
    Floats<width> g, n;
  };

  DDLBENCH_DEVICE void differentiate(auto& team, std::int64_t row) const {
    const float mean = means[row], rstd = rstds[row];
    const auto make = [&](std::int64_t i) {
      Terms t{load<width>(dy + row * features + i), load<width>(x + row * features + i)};
      const auto scale = load<width>(gamma + i);
      for (int k = 0; k < width; ++k) t.g.of[k] *= scale.of[k], t.n.of[k] = (t.n.of[k] - mean) * rstd;
      return t;
    };
    auto kept = team.template per_thread<RowValues<Terms, width, packs>>();
    const FloatPair sums = team.reduce(Sum{}, [&](int thread) {
      FloatPair two{0, 0};
      kept[thread].make_each(team, thread, features, make, [&](const Terms& t, std::int64_t) {
        for (int k = 0; k < width; ++k) two.a += t.g.of[k], two.b += t.g.of[k] * t.n.of[k];
      });
      return two;
    });
    const float inverse = 1.0f / static_cast<float>(features);
    const float mean_g = inverse * sums.a, mean_gn = inverse * sums.b;
    team.each([&](int thread) {
      kept[thread].each(team, thread, features, make, [&](const Terms& t, std::int64_t i) {
        Floats<width> gradients;
        for (int k = 0; k < width; ++k) gradients.of[k] = rstd * (t.g.of[k] - mean_g - t.n.of[k] * mean_gn);
        store<width>(dx + row * features + i, gradients, accumulate);
      });
    });
  }
};

std::unique_ptr<Kernel> bind_layer_norm(const Binding& binding, const auto& launcher) {
  const auto z = sizes_of_layer_norm(binding, Storage::any_float);
  const float epsilon = attributes_of<graph::LayerNorm>(binding).epsilon;
  return with_storage(binding.inputs[0].dtype, [&]<class T>(StorageTag<T>) {
    return make_kernel(binding, [=](const Arguments& a) {
      const T *x = input_of<T>(a, 0), *gamma = input_of<T>(a, 1), *beta = input_of<T>(a, 2);
      T* y = output_of<T>(a, 0);
      with_width<T>(z.features % vector_width<T> == 0 && aligned({x, gamma, beta, y}), [&](auto width) {
        constexpr int n = decltype(width)::value;
        launch_kept_rows<n>(launcher, "layer_norm", z.rows, z.features, [&]<int packs>(Packs<packs>) {
          return LayerNormBody<T, n, packs>{x, gamma, beta, y, output(a, 1), output(a, 2), z.rows, z.features, epsilon};
        });
      });
    });
  });
}

std::unique_ptr<Kernel> bind_layer_norm_backward_input(const Binding& binding, const auto& launcher) {
  const auto z = sizes_of_layer_norm_backward_input(binding, Storage::any_float);
  return with_storage(binding.inputs[0].dtype, [&]<class T>(StorageTag<T>) {
    return make_kernel(binding, [=, accumulate = binding.accumulate](const Arguments& a) {
      const T *dy = input_of<T>(a, 0), *x = input_of<T>(a, 1), *gamma = input_of<T>(a, 2);
      T* dx = output_of<T>(a, 0);
      with_width<T>(z.features % vector_width<T> == 0 && aligned({dy, x, gamma, dx}), [&](auto width) {
        constexpr int n = decltype(width)::value;
        launch_kept_rows<n>(launcher, "layer_norm_backward_input", z.rows, z.features, [&]<int packs>(Packs<packs>) {
          return LayerNormBackwardInputBody<T, n, packs>{dy, x,      gamma,      input(a, 3), input(a, 4),
                                                         dx, z.rows, z.features, accumulate};
        });
      });
    });
  });
}

}  // namespace ddlbench::kernels::own
