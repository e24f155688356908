#pragma once

#include "graph/ops/batch_norm.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "kernels/functors/batch_statistics.h"
#include "kernels/functors/elementwise.h"
#include "kernels/own/bind.h"
#include "kernels/own/divider.h"
#include "kernels/sizes/norm.h"

/// Computes two sums for each group and channel, in a fixed order and in two steps. First, runs of elements are summed
/// in parallel into partial[run][place], where place = group · channels + channel. Then the runs of each place are
/// summed. All sums are in f64, except that gradient terms are first added in f32, a few at a time.
namespace ddlbench::kernels::own {

DDLBENCH_DEVICE inline DoublePair in_f64(const DoublePair& terms) {
  return terms;
}
DDLBENCH_DEVICE inline DoublePair in_f64(const FloatPair& terms) {
  return {terms.a, terms.b};
}

/// The terms of moments: x − s and (x − s)², where the shift s is the first value of a place (see statistics_of_sums).
/// All classes of terms have the same members: `tensors` is the number of tensors that are loaded, point() returns the
/// data of a place, loaded() loads a pack of elements, stored() writes what the op has to write for a pack, and of()
/// returns the two terms of element k of a pack. A few terms are added in their own type, and their sums in f64.
template <class T>
struct MomentTerms {
  static constexpr int tensors = 1;
  const T* x;
  BatchNormSizes z;

  DDLBENCH_DEVICE float point(std::int64_t group, std::int64_t channel) const {
    return z.values() == 0 ? 0 : to_f32(x[z.first(group, channel)]);
  }
  template <int width>
  DDLBENCH_DEVICE Floats<width> loaded(std::int64_t at) const {
    return load<width>(x + at);
  }
  template <int width>
  DDLBENCH_DEVICE void stored(std::int64_t, const Floats<width>&) const {}
  template <int width>
  DDLBENCH_DEVICE DoublePair of(const Floats<width>& values, int k, float shift) const {
    const double value = static_cast<double>(values.of[k]) - shift;
    return {value, value * value};
  }
  bool is_aligned() const { return aligned({x}); }
};

/// A pack of gradients, and the values of x at the same elements.
template <int width>
struct GradientPack {
  Floats<width> gradients, values;
};

/// The terms dz (x − mean) and dz, without an activation. `mean` is the mean rounded to f32; FinishGradientSums
/// corrects the sum. The terms are f32, because a GPU converts to f64 slowly (an H100 at an eighth of its f32
/// rate).
template <class T>
struct GradientTerms {
  static constexpr int tensors = 2;
  const T* dz;
  const T* x;
  const float* moments;
  std::int64_t channels;

  DDLBENCH_DEVICE float point(std::int64_t group, std::int64_t channel) const {
    return static_cast<float>(statistics_of(moments, channels, group, channel).mean);
  }
  template <int width>
  DDLBENCH_DEVICE GradientPack<width> loaded(std::int64_t at) const {
    return {load<width>(dz + at), load<width>(x + at)};
  }
  template <int width>
  DDLBENCH_DEVICE void stored(std::int64_t, const GradientPack<width>&) const {}
  template <int width>
  DDLBENCH_DEVICE FloatPair of(const GradientPack<width>& pack, int k, float mean) const {
    const float gradient = pack.gradients.of[k];
    return {gradient * (pack.values.of[k] - mean), gradient};
  }
  bool is_aligned() const { return aligned({dz, x}); }
};

/// The same terms with an activation. dz is dy times the activation's derivative at z, which is recomputed as in
/// forward.
template <class T>
struct ActivationTerms {
  static constexpr int tensors = 2;
  const T* dy;
  const T* x;
  const float* moments;
  const T* gamma;
  const T* beta;
  std::int64_t channels;
  float epsilon;
  graph::Activation f;

  DDLBENCH_DEVICE NormPoint point(std::int64_t group, std::int64_t channel) const {
    return {statistics_of(moments, channels, group, channel), epsilon, to_f32(gamma[channel]), to_f32(beta[channel])};
  }
  template <int width>
  DDLBENCH_DEVICE GradientPack<width> loaded(std::int64_t at) const {
    return {load<width>(dy + at), load<width>(x + at)};
  }
  template <int width>
  DDLBENCH_DEVICE void stored(std::int64_t, const GradientPack<width>&) const {}
  template <int width>
  DDLBENCH_DEVICE FloatPair of(const GradientPack<width>& pack, int k, const NormPoint& z) const {
    const float dz = activation_gradient(f, pack.gradients.of[k], z(pack.values.of[k]));
    return {dz * (pack.values.of[k] - z.mean), dz};
  }
  bool is_aligned() const { return aligned({dy, x}); }
};

/// The same terms with a residual. The activation's derivative is computed from y. Also writes dz, which is the
/// gradient of the residual.
template <class T>
struct ResidualTerms {
  static constexpr int tensors = 3;
  GradientTerms<T> plain;  ///< loads dy, which becomes dz
  const T* y;
  T* dz;
  graph::Activation f;

  DDLBENCH_DEVICE float point(std::int64_t group, std::int64_t channel) const { return plain.point(group, channel); }
  template <int width>
  DDLBENCH_DEVICE GradientPack<width> loaded(std::int64_t at) const {
    auto pack = plain.template loaded<width>(at);
    const auto results = load<width>(y + at);
    for (int k = 0; k < width; ++k) pack.gradients.of[k] = activation_gradient(f, pack.gradients.of[k], results.of[k]);
    return pack;
  }
  template <int width>
  DDLBENCH_DEVICE void stored(std::int64_t at, const GradientPack<width>& pack) const {
    store<width>(dz + at, pack.gradients);
  }
  template <int width>
  DDLBENCH_DEVICE FloatPair of(const GradientPack<width>& pack, int k, float mean) const {
    return plain.of(pack, k, mean);
  }
  bool is_aligned() const { return plain.is_aligned() && aligned({y, dz}); }
};

/// A block sums a run of the samples · inner elements of a place. The inner size is a multiple of `width`.
template <class Terms, int width>
struct PlaceRunBody {
  Divider packs, channels;  ///< packs: number of packs in the inner dimension
  Terms terms;
  DoublePair* partial;
  BatchNormSizes z;
  std::int64_t packs_of_run, runs;

  DDLBENCH_DEVICE void operator()(auto& team) const {
    const std::int64_t all = z.samples * packs.divisor();
    for (std::int64_t item = team.index(); item < z.places() * runs; item += team.count()) {
      const std::int64_t run = item / z.places(), place = item - run * z.places();
      const std::int64_t group = channels.quotient(place), channel = place - group * z.channels;
      const std::int64_t begin = run * packs_of_run, end = begin + packs_of_run < all ? begin + packs_of_run : all;
      const auto point = terms.point(group, channel);
      const DoublePair total = team.reduce(Sum{}, [&](int thread) {
        DoublePair sums{0, 0};
        DDLBENCH_UNROLL
        for (std::int64_t at = begin + thread; at < end; at += team.threads()) {
          const std::int64_t sample = packs.quotient(at), i = (at - sample * packs.divisor()) * width;
          const std::int64_t element = z.row(group, sample, channel) * z.inner + i;
          const auto pack = terms.template loaded<width>(element);
          terms.stored(element, pack);
          auto some = terms.of(pack, 0, point);
          for (int k = 1; k < width; ++k) some = some + terms.of(pack, k, point);
          sums = sums + in_f64(some);
        }
        return sums;
      });
      team.each([&](int thread) {
        if (thread == 0) partial[item] = total;
      });
    }
  }
};

/// How a block divides columns of adjacent channels: `lanes` of its threads process adjacent packs, and as many as fit
/// process samples in parallel.
struct ColumnTile {
  static constexpr std::int64_t most_lanes = 32;  ///< with packs of 16 bytes, 512 contiguous bytes of each sample
  std::int64_t packs;
  int lanes;

  explicit ColumnTile(std::int64_t p)
      : packs(p),
        lanes(static_cast<int>(std::bit_ceil(static_cast<std::uint64_t>(std::clamp<std::int64_t>(p, 1, most_lanes))))) {
  }
  DDLBENCH_HOST_DEVICE int samples() const { return block_threads / lanes; }
  std::int64_t blocks() const { return quotient_up(packs, lanes); }
};

/// For adjacent channels (inner size 1): a block sums a run of samples for a tile of places, `width` places per thread.
template <class Terms, int width>
struct PlaceColumnBody {
  ColumnTile tile;
  Divider blocks, packs_of_group;  ///< blocks: number of tiles in a sample
  Terms terms;
  DoublePair* partial;
  BatchNormSizes z;
  std::int64_t samples_of_run, runs;

  DDLBENCH_DEVICE void operator()(auto& team) const {
    Sums* const of_threads = team.template scratch<Sums>();
    for (std::int64_t item = team.index(); item < blocks.divisor() * runs; item += team.count()) {
      const std::int64_t run = blocks.quotient(item), first = (item - run * blocks.divisor()) * tile.lanes;
      const std::int64_t begin = run * samples_of_run;
      const std::int64_t end = begin + samples_of_run < z.samples ? begin + samples_of_run : z.samples;
      team.each([&](int thread) {
        const std::int64_t pack = first + thread % tile.lanes;
        of_threads[thread] = pack < tile.packs ? sums_of(pack, begin + thread / tile.lanes, end) : Sums{};
      });
      team.each([&](int thread) {
        const int lane = thread / width, k = thread % width;
        if (lane >= tile.lanes || first + lane >= tile.packs) return;
        DoublePair total = of_threads[lane].of[k];
        for (int sample = 1; sample < tile.samples(); ++sample)
          total = total + of_threads[sample * tile.lanes + lane].of[k];
        partial[run * z.places() + (first + lane) * width + k] = total;
      });
    }
  }

 private:
  /// The number of samples whose loads are in flight at once: more of two tensors would need so many registers that a
  /// multiprocessor could hold only one block.
  static constexpr int samples_at_a_time = Terms::tensors > 1 && width > 4 ? 2 : 4;
  static_assert(ColumnTile::most_lanes * width <= block_threads);

  struct Sums {
    DoublePair of[width];
  };
  using Point = decltype(std::declval<Terms>().point(0, 0));

  /// Sums a thread's samples of a run, beginning at sample n.
  DDLBENCH_DEVICE Sums sums_of(std::int64_t pack, std::int64_t n, std::int64_t end) const {
    const std::int64_t group = packs_of_group.quotient(pack), channel = pack * width - group * z.channels;
    const std::int64_t step = tile.samples(), last = (samples_at_a_time - 1) * step;
    Point points[width];
    Sums sums{};
    for (int k = 0; k < width; ++k) points[k] = terms.point(group, channel + k);
    for (; n + last < end; n += samples_at_a_time * step)
      add<samples_at_a_time>(z.row(group, n, channel), step * z.channels, points, sums);
    for (; n < end; n += step) add<1>(z.row(group, n, channel), 0, points, sums);
    return sums;
  }

  /// Adds the terms of `count` packs, which begin `step` elements apart.
  template <int count>
  DDLBENCH_DEVICE void add(std::int64_t first, std::int64_t step, const Point* points, Sums& sums) const {
    decltype(terms.template loaded<width>(0)) packs[count];
    for (int j = 0; j < count; ++j) packs[j] = terms.template loaded<width>(first + j * step);
    for (int j = 0; j < count; ++j) terms.stored(first + j * step, packs[j]);
    for (int k = 0; k < width; ++k) {
      auto some = terms.of(packs[0], k, points[k]);
      for (int j = 1; j < count; ++j) some = some + terms.of(packs[j], k, points[k]);
      sums.of[k] = sums.of[k] + in_f64(some);
    }
  }
};

/// A warp sums the runs of a place and calls finish(group, channel, sums), which writes the result.
template <class Finish>
struct FinishPlacesBody {
  Divider channels;
  const DoublePair* partial;
  std::int64_t places, runs;
  Finish finish;

  DDLBENCH_DEVICE void operator()(auto& team) const {
    for (std::int64_t place = team.index(); place < places; place += team.count()) {
      const DoublePair total = team.reduce(Sum{}, [&](int thread) {
        DoublePair sums{0, 0};
        DDLBENCH_UNROLL
        for (std::int64_t run = thread; run < runs; run += team.threads()) sums = sums + partial[run * places + place];
        return sums;
      });
      team.each([&](int thread) {
        const std::int64_t group = channels.quotient(place);
        if (thread == 0) finish(group, place - group * channels.divisor(), total);
      });
    }
  }
};

template <class T>
struct FinishMoments {
  MomentTerms<T> terms;
  float* moments;

  DDLBENCH_DEVICE void operator()(std::int64_t group, std::int64_t channel, DoublePair sums) const {
    const auto n = static_cast<double>(terms.z.values());
    write_statistics(moments, terms.z.channels, group, channel,
                     statistics_of_sums(n, terms.point(group, channel), sums.a, sums.b));
  }
};

struct FinishGradientSums {
  const float* moments;
  float* sums_of_groups;
  std::int64_t channels;
  float epsilon;

  DDLBENCH_DEVICE void operator()(std::int64_t group, std::int64_t channel, DoublePair sums) const {
    float* of_place = sums_of_groups + group * 2 * channels + channel;
    const ChannelStatistics s = statistics_of(moments, channels, group, channel);
    const double rest_of_mean = s.mean - static_cast<float>(s.mean);
    of_place[0] = static_cast<float>((sums.a - rest_of_mean * sums.b) * s.rstd(epsilon));
    of_place[channels] = static_cast<float>(sums.b);
  }
};

/// Returns the number of runs into which the elements of each place are split.
template <class T>
std::int64_t runs_of_places(const BatchNormSizes& z, int multiprocessors) {
  if (z.inner == 1) {
    const ColumnTile tile(z.places() / vector_width<T>);
    return block_runs(quotient_up(z.samples, tile.samples()), tile.blocks(), multiprocessors);
  }
  return sum_runs(quotient_up(z.samples * z.inner, block_threads), z.places() * block_threads, multiprocessors);
}

inline std::size_t bytes_of_places(const BatchNormSizes& z, std::int64_t runs) {
  return static_cast<std::size_t>(z.places() * runs) * sizeof(DoublePair);
}

template <class T, class Launcher, class Terms, class Finish>
void sum_places(const Launcher& launcher, const char* name, const BatchNormSizes& z, std::int64_t runs, void* workspace,
                const Terms& terms, const Finish& finish) {
  auto* partial = static_cast<DoublePair*>(workspace);
  const Divider channels = divider_of(z.channels);
  if (z.inner == 1) {
    with_width<T>(z.channels % vector_width<T> == 0 && terms.is_aligned(), [&](auto width) {
      const ColumnTile tile(z.places() / width);
      const PlaceColumnBody<Terms, decltype(width)::value> body{tile,
                                                                divider_of(tile.blocks()),
                                                                divider_of(z.channels / width),
                                                                terms,
                                                                partial,
                                                                z,
                                                                quotient_up(z.samples, runs),
                                                                runs};
      launcher.blocks(name, tile.blocks() * runs, body);
    });
  } else {
    with_width<T>(z.inner % vector_width<T> == 0 && terms.is_aligned(), [&](auto width) {
      const Divider packs = divider_of(z.inner / width);
      const std::int64_t packs_of_run = quotient_up(z.samples * (z.inner / width), runs);
      const PlaceRunBody<Terms, decltype(width)::value> body{packs, channels, terms, partial, z, packs_of_run, runs};
      launcher.blocks(name, z.places() * runs, body);
    });
  }
  launcher.warps(name, z.places(), FinishPlacesBody<Finish>{channels, partial, z.places(), runs, finish});
}

std::unique_ptr<Kernel> bind_batch_moments(const Binding& binding, const auto& launcher) {
  const auto z = as_columns(sizes_of_batch_moments(binding, Storage::any_float));
  return with_storage(binding.inputs[0].dtype, [&]<class T>(StorageTag<T>) {
    const auto runs = runs_of_places<T>(z, launcher.multiprocessors());
    return make_kernel(binding, bytes_of_places(z, runs), [=](const Arguments& a) {
      const MomentTerms<T> terms{input_of<T>(a, 0), z};
      sum_places<T>(launcher, "batch_moments", z, runs, a.workspace, terms, FinishMoments<T>{terms, output(a, 0)});
    });
  });
}

std::unique_ptr<Kernel> bind_batch_norm_backward_moments(const Binding& binding, const auto& launcher) {
  const auto z = as_columns(sizes_of_batch_norm_backward_moments(binding, Storage::any_float));
  const auto& op = attributes_of<graph::BatchNormBackwardMoments>(binding);
  return with_storage(binding.inputs[1].dtype, [&]<class T>(StorageTag<T>) {
    const auto runs = runs_of_places<T>(z, launcher.multiprocessors());
    return make_kernel(
        binding, bytes_of_places(z, runs),
        [=, recomputes_z = op.recomputes_z(), writes_dz = op.writes_dz(), epsilon = op.norm.epsilon,
         f = op.activation](const Arguments& a) {
          const T *dy = input_of<T>(a, 0), *x = input_of<T>(a, 1);
          const float* moments = input(a, 2);
          const auto sum = [&](const auto& terms) {
            sum_places<T>(launcher, "batch_norm_backward_moments", z, runs, a.workspace, terms,
                          FinishGradientSums{moments, output(a, 0), z.channels, epsilon});
          };
          if (recomputes_z) {
            sum(ActivationTerms<T>{dy, x, moments, input_of<T>(a, 3), input_of<T>(a, 4), z.channels, epsilon, f});
          } else if (writes_dz) {
            sum(ResidualTerms<T>{{dy, x, moments, z.channels}, input_of<T>(a, 3), output_of<T>(a, 1), f});
          } else {
            sum(GradientTerms<T>{dy, x, moments, z.channels});
          }
        });
  });
}

}  // namespace ddlbench::kernels::own
