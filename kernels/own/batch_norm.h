#pragma once

#include "graph/ops/batch_norm.h"
#include "kernels/functors/batch_statistics.h"
#include "kernels/functors/elementwise.h"
#include "kernels/own/bind.h"
#include "kernels/own/divider.h"
#include "kernels/sizes/norm.h"

/// Each op takes two launches. The first writes the coefficients of each group and channel to the workspace; the second
/// processes the elements.
namespace ddlbench::kernels::own {

/// `kinds` arrays in the workspace, each with one number per place = group · channels + channel. If channels are
/// adjacent in memory (by_columns), each element of a pack has its own place; otherwise all elements of a pack belong
/// to the same place.
template <int kinds>
struct Places {
  float* first;
  std::int64_t places;
  Divider channels, samples, packs_of_row;
  bool by_columns;

  static std::size_t bytes(const BatchNormSizes& z) {
    return static_cast<std::size_t>(kinds * z.places()) * sizeof(float);
  }
  Places(void* workspace, const BatchNormSizes& z, int width)
      : first(static_cast<float*>(workspace)),
        places(z.places()),
        channels(divider_of(z.channels)),
        samples(divider_of(z.samples)),
        packs_of_row(divider_of((z.inner == 1 ? z.channels : z.inner) / width)),
        by_columns(z.inner == 1) {}

  /// Returns the place of the first element of `pack`.
  DDLBENCH_DEVICE std::int64_t place(std::int64_t pack, int width) const {
    const std::int64_t row = packs_of_row.quotient(pack);
    if (by_columns) {
      return samples.quotient(row) * channels.divisor() + (pack - row * packs_of_row.divisor()) * width;
    }
    const std::int64_t sample = channels.quotient(row);
    return samples.quotient(sample) * channels.divisor() + (row - sample * channels.divisor());
  }
  template <int width>
  DDLBENCH_DEVICE Floats<width> load_kind(int kind, std::int64_t place) const {
    const float* at = first + kind * places + place;
    if (by_columns) return load<width>(at);
    Floats<width> values;
    for (int k = 0; k < width; ++k) values.of[k] = *at;
    return values;
  }
};

/// Calls set(place, group, channel) for every place.
template <class Set>
struct SetPlacesBody {
  Divider channels;
  std::int64_t places;
  Set set;

  DDLBENCH_DEVICE void operator()(auto& team) const {
    each_index(team, places, [&](std::int64_t place) {
      const std::int64_t group = channels.quotient(place);
      set(place, group, place - group * channels.divisor());
    });
  }
};

template <class Launcher, class Set>
void set_places(const Launcher& launcher, const char* name, const BatchNormSizes& z, const Set& set) {
  launcher.items(name, z.places(), SetPlacesBody<Set>{divider_of(z.channels), z.places(), set});
}

template <class T>
struct SetByMoments {
  const float* moments;
  const T* gamma;
  const T* beta;
  float* points;
  std::int64_t channels, places;
  float epsilon;

  DDLBENCH_DEVICE void operator()(std::int64_t place, std::int64_t group, std::int64_t channel) const {
    const NormPoint point(statistics_of(moments, channels, group, channel), epsilon, to_f32(gamma[channel]),
                          to_f32(beta[channel]));
    points[place] = point.mean;
    points[places + place] = point.scale;
    points[2 * places + place] = point.shift;
  }
};

template <class T>
struct SetByRunningStatistics {
  const T* gamma;
  const T* beta;
  const float* mean;
  const float* variance;
  float* points;
  std::int64_t channels;
  float epsilon;

  DDLBENCH_DEVICE void operator()(std::int64_t, std::int64_t, std::int64_t channel) const {
    points[channel] = mean[channel];
    points[channels + channel] = to_f32(gamma[channel]) / std::sqrt(variance[channel] + epsilon);
    points[2 * channels + channel] = to_f32(beta[channel]);
  }
};

/// The number of elements is a multiple of `width`.
template <class T, int width>
struct NormaliseBody {
  Places<3> points;
  graph::Activation f;
  const T* x;
  const T* residual;  ///< null if there is none
  T* y;
  std::int64_t packs;

  DDLBENCH_DEVICE void operator()(auto& team) const {
    each_index(team, packs, [&](std::int64_t pack) {
      const std::int64_t place = points.place(pack, width), at = pack * width;
      const auto mean = points.template load_kind<width>(0, place), scale = points.template load_kind<width>(1, place),
                 shift = points.template load_kind<width>(2, place);
      auto values = load<width>(x + at);
      Floats<width> added{};
      if (residual != nullptr) added = load<width>(residual + at);
      for (int k = 0; k < width; ++k) {
        const NormPoint point(mean.of[k], scale.of[k], shift.of[k]);
        values.of[k] = activate(f, point(values.of[k]) + added.of[k]);
      }
      store<width>(y + at, values);
    });
  }
};

template <class T>
struct SetGradients {
  const float* moments;
  const float* sums;
  const T* gamma;
  const T* beta;  ///< null if there is no activation
  float* points;
  std::int64_t channels, places;
  float epsilon;

  DDLBENCH_DEVICE void operator()(std::int64_t place, std::int64_t group, std::int64_t channel) const {
    const float* of_place = sums + group * 2 * channels + channel;
    const float shift = beta == nullptr ? 0 : to_f32(beta[channel]);
    const NormGradientPoint point(statistics_of(moments, channels, group, channel), epsilon, to_f32(gamma[channel]),
                                  shift, of_place[0], of_place[channels]);
    points[place] = point.mean;
    points[places + place] = point.scale;
    points[2 * places + place] = point.shift;
    points[3 * places + place] = point.mean_dz;
    points[4 * places + place] = point.slope;
  }
};

template <class T, int width>
struct NormBackwardInputBody {
  Places<5> points;
  graph::Activation f;
  const T* dy;
  const T* x;
  T* dx;
  std::int64_t packs;
  bool accumulate;

  DDLBENCH_DEVICE void operator()(auto& team) const {
    each_index(team, packs, [&](std::int64_t pack) {
      const std::int64_t place = points.place(pack, width), at = pack * width;
      const auto mean = points.template load_kind<width>(0, place), scale = points.template load_kind<width>(1, place),
                 shift = points.template load_kind<width>(2, place),
                 mean_dz = points.template load_kind<width>(3, place),
                 slope = points.template load_kind<width>(4, place);
      auto gradients = load<width>(dy + at);
      const auto values = load<width>(x + at);
      for (int k = 0; k < width; ++k) {
        const NormGradientPoint point(mean.of[k], scale.of[k], shift.of[k], mean_dz.of[k], slope.of[k]);
        const float dz = activation_gradient(f, gradients.of[k], point.z(values.of[k]));
        gradients.of[k] = point(dz, values.of[k]);
      }
      store<width>(dx + at, gradients, accumulate);
    });
  }
};

/// Calls body(Width<n>) with the width of a vector if no vector crosses the end of a row (the inner dimension, or the
/// channels if they are adjacent) and all operands are aligned; otherwise with n = 1.
template <class T, class Body>
void with_width_of(const BatchNormSizes& z, std::initializer_list<const void*> operands, const Body& body) {
  with_width<T>((z.inner == 1 ? z.channels : z.inner) % vector_width<T> == 0 && aligned(operands), body);
}

template <class T, class Launcher>
void normalise(const Launcher& launcher, const char* name, const BatchNormSizes& z, void* workspace,
               graph::Activation f, const T* x, const T* residual, T* y) {
  with_width_of<T>(z, {x, residual, y, workspace}, [&](auto width) {
    const std::int64_t packs = z.elements() / width;
    const NormaliseBody<T, decltype(width)::value> body{{workspace, z, width}, f, x, residual, y, packs};
    launcher.items(name, packs, body);
  });
}

std::unique_ptr<Kernel> bind_batch_norm(const Binding& binding, const auto& launcher) {
  const auto z = as_columns(sizes_of_batch_norm(binding, Storage::any_float));
  const auto& op = attributes_of<graph::BatchNorm>(binding);
  return with_storage(binding.inputs[0].dtype, [&]<class T>(StorageTag<T>) {
    return make_kernel(binding, Places<3>::bytes(z),
                       [=, epsilon = op.norm.epsilon, adds = op.residual, f = op.activation](const Arguments& a) {
                         set_places(launcher, "batch_norm", z,
                                    SetByMoments<T>{input(a, 1), input_of<T>(a, 2), input_of<T>(a, 3),
                                                    static_cast<float*>(a.workspace), z.channels, z.places(), epsilon});
                         normalise<T>(launcher, "batch_norm", z, a.workspace, f, input_of<T>(a, 0),
                                      adds ? input_of<T>(a, 4) : nullptr, output_of<T>(a, 0));
                       });
  });
}

std::unique_ptr<Kernel> bind_batch_norm_inference(const Binding& binding, const auto& launcher) {
  const auto z = as_columns(sizes_of_batch_norm_inference(binding, Storage::any_float));
  const auto& op = attributes_of<graph::BatchNormInference>(binding);
  return with_storage(binding.inputs[0].dtype, [&]<class T>(StorageTag<T>) {
    return make_kernel(binding, Places<3>::bytes(z),
                       [=, epsilon = op.epsilon, adds = op.residual, f = op.activation](const Arguments& a) {
                         set_places(
                             launcher, "batch_norm_inference", z,
                             SetByRunningStatistics<T>{input_of<T>(a, 1), input_of<T>(a, 2), input(a, 3), input(a, 4),
                                                       static_cast<float*>(a.workspace), z.channels, epsilon});
                         normalise<T>(launcher, "batch_norm_inference", z, a.workspace, f, input_of<T>(a, 0),
                                      adds ? input_of<T>(a, 5) : nullptr, output_of<T>(a, 0));
                       });
  });
}

std::unique_ptr<Kernel> bind_batch_norm_backward_input(const Binding& binding, const auto& launcher) {
  const auto z = as_columns(sizes_of_batch_norm_backward_input(binding, Storage::any_float));
  const auto& op = attributes_of<graph::BatchNormBackwardInput>(binding);
  return with_storage(binding.inputs[1].dtype, [&]<class T>(StorageTag<T>) {
    return make_kernel(
        binding, Places<5>::bytes(z),
        [=, epsilon = op.norm.epsilon, f = op.activation, accumulate = binding.accumulate](const Arguments& a) {
          const char* name = "batch_norm_backward_input";
          const T* beta = f == graph::Activation::none ? nullptr : input_of<T>(a, 5);
          set_places(launcher, name, z,
                     SetGradients<T>{input(a, 2), input(a, 3), input_of<T>(a, 4), beta,
                                     static_cast<float*>(a.workspace), z.channels, z.places(), epsilon});
          const T *dy = input_of<T>(a, 0), *x = input_of<T>(a, 1);
          T* dx = output_of<T>(a, 0);
          with_width_of<T>(z, {dy, x, dx, a.workspace}, [&](auto width) {
            const std::int64_t packs = z.elements() / width;
            const NormBackwardInputBody<T, decltype(width)::value> body{
                {a.workspace, z, width}, f, dy, x, dx, packs, accumulate};
            launcher.items(name, packs, body);
          });
        });
  });
}

}  // namespace ddlbench::kernels::own
