#include <array>

#include "graph/ops/batch_norm.h"
#include "kernels/cpu/norm_sums.h"
#include "kernels/cpu/ops.h"
#include "kernels/functors/batch_statistics.h"
#include "kernels/functors/elementwise.h"
#include "kernels/operands.h"
#include "kernels/own/bind.h"

namespace ddlbench::kernels::cpu {
namespace {

using own::from_f32;
using own::to_f32;

/// The terms x − s and (x − s)², where s is the first value of a place, a pair of group and channel (see
/// statistics_of_sums).
template <class T>
struct MomentTerms {
  const T* x;
  const BatchNormSizes& z;

  template <std::size_t n>
  struct Columns {
    std::array<double, n> shift;
  };
  template <class Columns>
  void set(Columns& columns, std::int64_t k, std::int64_t place) const {
    columns.shift[static_cast<std::size_t>(k)] = shift(place);
  }
  double shift(std::int64_t place) const {
    return z.values() == 0 ? 0 : to_f32(x[z.first(place / z.channels, place % z.channels)]);
  }
  void read(std::int64_t start, std::int64_t size, Elements& elements) const {
    elements.x = widened(x + start, size, elements.wide_x);
  }
  TwoSums operator()(const Elements& elements, std::int64_t i, const auto& columns, std::int64_t k) const {
    const double value = elements.x[i] - columns.shift[static_cast<std::size_t>(k)];
    return {value, value * value};
  }
};

/// Reads the statistics of a place from moments.
struct Statistics {
  const float* moments;
  std::int64_t channels;

  ChannelStatistics operator()(std::int64_t place) const {
    return statistics_of(moments, channels, place / channels, place % channels);
  }
};

template <std::size_t n>
struct Means {
  std::array<double, n> mean;

  void set(std::int64_t k, const ChannelStatistics& s) { mean[static_cast<std::size_t>(k)] = s.mean; }
  /// Returns dz (x − mean) and dz.
  TwoSums terms(double dz, float x, std::int64_t k) const { return {dz * (x - mean[static_cast<std::size_t>(k)]), dz}; }
};

/// Terms that need only the mean of a place.
struct TermsOfMeans {
  Statistics statistics;

  template <std::size_t n>
  using Columns = Means<n>;
  template <class Columns>
  void set(Columns& columns, std::int64_t k, std::int64_t place) const {
    columns.set(k, statistics(place));
  }
  TwoSums operator()(const Elements& elements, std::int64_t i, const auto& columns, std::int64_t k) const {
    return columns.terms(elements.dz[i], elements.x[i], k);
  }
};

/// The terms of a normalisation without activation.
template <class T>
struct GradientTerms : TermsOfMeans {
  const T *dz, *x;

  void read(std::int64_t start, std::int64_t size, Elements& elements) const {
    elements.dz = widened(dz + start, size, elements.wide_dz);
    elements.x = widened(x + start, size, elements.wide_x);
  }
};

/// The terms of a normalisation with activation. Recomputes the activation's input z exactly as the forward pass does.
template <class T>
struct ActivationTerms {
  Statistics statistics;
  float epsilon;
  graph::Activation f;
  const T *gamma, *beta, *dy, *x;

  template <std::size_t n>
  struct Columns {
    Means<n> means;
    std::array<float, n> mean, scale, shift;
  };
  template <class Columns>
  void set(Columns& columns, std::int64_t k, std::int64_t place) const {
    const auto at = static_cast<std::size_t>(k);
    const std::int64_t channel = place % statistics.channels;
    const ChannelStatistics s = statistics(place);
    const NormPoint z(s, epsilon, to_f32(gamma[channel]), to_f32(beta[channel]));
    columns.means.set(k, s);
    columns.mean[at] = z.mean, columns.scale[at] = z.scale, columns.shift[at] = z.shift;
  }
  void read(std::int64_t start, std::int64_t size, Elements& elements) const {
    elements.dz = widened(dy + start, size, elements.wide_dz);
    elements.x = widened(x + start, size, elements.wide_x);
  }
  TwoSums operator()(const Elements& elements, std::int64_t i, const auto& columns, std::int64_t k) const {
    const auto at = static_cast<std::size_t>(k);
    const NormPoint z(columns.mean[at], columns.scale[at], columns.shift[at]);
    return columns.means.terms(activation_gradient(f, elements.dz[i], z(elements.x[i])), elements.x[i], k);
  }
};

/// The terms of a normalisation with a residual. Computes the activation's derivative from y, and writes dz, which is
/// the gradient of the residual.
template <class T>
struct ResidualTerms : TermsOfMeans {
  graph::Activation f;
  const T *dy, *x, *y;
  T* dz;

  void read(std::int64_t start, std::int64_t size, Elements& elements) const {
    for (std::int64_t i = 0; i < size; ++i) {
      elements.wide_dz[i] = activation_gradient(f, to_f32(dy[start + i]), to_f32(y[start + i]));
    }
    for (std::int64_t i = 0; i < size; ++i) dz[start + i] = from_f32<T>(elements.wide_dz[i]);
    elements.dz = elements.wide_dz;
    elements.x = widened(x + start, size, elements.wide_x);
  }
};

}  // namespace

DDLBENCH_CPU_KERNEL(batch_moments, Storage::any_float, Channels::in_blocks) {
  const auto z = sizes_of_batch_moments(binding, Storage::any_float);
  return own::with_storage(binding.inputs[0].dtype, [&]<class T>(own::StorageTag<T>) {
    return make_kernel(binding, [z, threads = context.threads](const Arguments& a) {
      const MomentTerms<T> terms{input_of<T>(a, 0), z};
      const auto write = [&terms, &z, moments = output(a, 0)](std::int64_t place, TwoSums sums) {
        write_statistics(moments, z.channels, place / z.channels, place % z.channels,
                         statistics_of_sums(static_cast<double>(z.values()), terms.shift(place), sums.a, sums.b));
      };
      sum_places(threads, z, terms, write);
    });
  });
}

DDLBENCH_CPU_KERNEL(batch_norm_backward_moments, Storage::any_float, Channels::in_blocks) {
  const auto z = sizes_of_batch_norm_backward_moments(binding, Storage::any_float);
  const auto& op = attributes_of<graph::BatchNormBackwardMoments>(binding);
  return own::with_storage(binding.inputs[1].dtype, [&]<class T>(own::StorageTag<T>) {
    return make_kernel(binding, [=, recomputes_z = op.recomputes_z(), writes_dz = op.writes_dz(),
                                 epsilon = op.norm.epsilon, f = op.activation,
                                 threads = context.threads](const Arguments& a) {
      const T *dy = input_of<T>(a, 0), *x = input_of<T>(a, 1);
      const Statistics statistics{input(a, 2), z.channels};
      const auto write = [=, sums_of_groups = output(a, 0)](std::int64_t place, TwoSums sums) {
        float* of_place = sums_of_groups + place / z.channels * 2 * z.channels + place % z.channels;
        of_place[0] = static_cast<float>(sums.a * statistics(place).rstd(epsilon));
        of_place[z.channels] = static_cast<float>(sums.b);
      };
      if (recomputes_z) {
        const T *gamma = input_of<T>(a, 3), *beta = input_of<T>(a, 4);
        sum_places(threads, z, ActivationTerms<T>{statistics, epsilon, f, gamma, beta, dy, x}, write);
      } else if (writes_dz) {
        sum_places(threads, z, ResidualTerms<T>{{statistics}, f, dy, x, input_of<T>(a, 3), output_of<T>(a, 1)}, write);
      } else {
        sum_places(threads, z, GradientTerms<T>{{statistics}, dy, x}, write);
      }
    });
  });
}

}  // namespace ddlbench::kernels::cpu
