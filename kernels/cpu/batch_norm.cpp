#include "graph/ops/batch_norm.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "kernels/cpu/blocks.h"
#include "kernels/cpu/loops.h"
#include "kernels/cpu/ops.h"
#include "kernels/cpu/parallel.h"
#include "kernels/functors/batch_statistics.h"
#include "kernels/functors/elementwise.h"
#include "kernels/operands.h"
#include "kernels/own/bind.h"
#include "kernels/sizes/norm.h"

namespace ddlbench::kernels::cpu {
namespace {

using own::to_f32;

/// The coefficients of each place (group and channel), which a launch first computes into its workspace: `kinds`
/// arrays, `stride` elements apart.
template <class Point, std::size_t kinds>
struct Points {
  float* first;
  std::int64_t stride;

  static std::size_t bytes(std::int64_t places) { return kinds * static_cast<std::size_t>(places) * sizeof(float); }

  void set(std::int64_t place, const Point& point) const {
    static_assert(sizeof(Point) == kinds * sizeof(float));
    const auto values = std::bit_cast<std::array<float, kinds>>(point);
    for (std::size_t k = 0; k < kinds; ++k) of(k)[place] = values[k];
  }
  /// Does not use bit_cast, which would prevent the vectorisation of loops over five arrays.
  Point operator[](std::int64_t place) const { return made(place, std::make_index_sequence<kinds>()); }
  /// Copies `count` places, starting at `place`, to `to`: local memory for `most` places, which cannot alias an
  /// operand.
  Points copied(std::int64_t place, std::int64_t count, float* to, std::int64_t most) const {
    for (std::size_t k = 0; k < kinds; ++k) std::copy_n(of(k) + place, count, to + static_cast<std::int64_t>(k) * most);
    return {to, most};
  }

 private:
  float* of(std::size_t kind) const { return first + static_cast<std::int64_t>(kind) * stride; }
  template <std::size_t... kind>
  Point made(std::int64_t place, std::index_sequence<kind...>) const {
    return Point(of(kind)[place]...);
  }
};

using NormPoints = Points<NormPoint, 3>;
using GradientPoints = Points<NormGradientPoint, 5>;

/// Implements write_each for channels in blocks.
template <class Point, std::size_t kinds, class T, class Value>
void write_each_in_blocks(int threads, const BatchNormSizes& z, const Points<Point, kinds>& points, T* y,
                          bool accumulate, const Value& value) {
  const std::int64_t rows = z.rows() / z.block;
  parallel_for(threads, rows, z.elements(), [=](std::int64_t begin, std::int64_t end) {
    with_block(z.block, [=](auto block) {
      for (std::int64_t row = begin; row < end; ++row) {
        const std::int64_t sample = row * block / z.channels;
        const std::int64_t place = sample / z.samples * z.channels + row * block % z.channels;
        float of_block[kinds * max_channel_block];
        const Points<Point, kinds> here = points.copied(place, block, of_block, max_channel_block);
        for (std::int64_t i = row * z.inner; i < (row + 1) * z.inner; ++i) {
          float made[max_channel_block];  // not yet to y, which may also be an input
          for (std::int64_t c = 0; c < block; ++c) made[c] = value(i * block + c, here[c]);
          for (std::int64_t c = 0; c < block; ++c) own::store_one(y + i * block + c, made[c], accumulate);
        }
      }
    });
  });
}

/// Writes y[e] = value(e, point), or adds it to y[e] if `accumulate`.
template <class Points, class T, class Value>
void write_each(int threads, const BatchNormSizes& z, const Points& points, T* y, bool accumulate, const Value& value) {
  if (z.block > 1) return write_each_in_blocks(threads, z, points, y, accumulate, value);
  const bool by_samples = z.inner == 1;  // the channels of a sample are contiguous
  const std::int64_t rows = by_samples ? z.groups * z.samples : z.rows(), size = by_samples ? z.channels : z.inner;
  parallel_for(threads, rows, z.elements(), [=](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      const std::int64_t start = row * size, group = row / (rows / z.groups);
      const auto write_row = [&](const auto& point_of) {
        with_flag(accumulate, [&](auto adds) {
          DDLBENCH_INDEPENDENT
          for (std::int64_t i = 0; i < size; ++i) own::store_one(y + start + i, value(start + i, point_of(i)), adds());
        });
      };
      if (by_samples) {
        write_row([=](std::int64_t i) { return points[group * z.channels + i]; });
      } else {
        write_row([point = points[group * z.channels + row % z.channels]](std::int64_t) { return point; });
      }
    }
  });
}

/// Normalises x, adds the residual unless it is null, and applies the activation.
template <class T>
void normalise(int threads, const BatchNormSizes& z, const NormPoints& points, graph::Activation f, const T* x,
               const T* residual, T* y) {
  if (residual == nullptr) {
    write_each(threads, z, points, y, false,
               [=](std::int64_t e, const NormPoint& point) { return activate(f, point(to_f32(x[e]))); });
  } else {
    write_each(threads, z, points, y, false, [=](std::int64_t e, const NormPoint& point) {
      return activate(f, point(to_f32(x[e])) + to_f32(residual[e]));
    });
  }
}

/// Computes dx from dy, which is the gradient of the activation's output.
template <class T>
void normalise_backward(int threads, const BatchNormSizes& z, const GradientPoints& points, graph::Activation f,
                        const T* dy, const T* x, T* dx, bool accumulate) {
  if (f == graph::Activation::none) {
    write_each(threads, z, points, dx, accumulate,
               [=](std::int64_t e, const NormGradientPoint& point) { return point(to_f32(dy[e]), to_f32(x[e])); });
  } else {
    write_each(threads, z, points, dx, accumulate, [=](std::int64_t e, const NormGradientPoint& point) {
      const float value = to_f32(x[e]);
      return point(activation_gradient(f, to_f32(dy[e]), point.z(value)), value);
    });
  }
}

}  // namespace

DDLBENCH_CPU_KERNEL(batch_norm, Storage::any_float, Channels::in_blocks) {
  const auto z = sizes_of_batch_norm(binding, Storage::any_float);
  const auto& op = attributes_of<graph::BatchNorm>(binding);
  return own::with_storage(binding.inputs[0].dtype, [&]<class T>(own::StorageTag<T>) {
    return make_kernel(
        binding, NormPoints::bytes(z.places()),
        [=, threads = context.threads, epsilon = op.norm.epsilon, adds = op.residual,
         f = op.activation](const Arguments& a) {
          const NormPoints points{static_cast<float*>(a.workspace), z.places()};
          for (std::int64_t place = 0; place < z.places(); ++place) {
            const std::int64_t channel = place % z.channels;
            const auto s = statistics_of(input(a, 1), z.channels, place / z.channels, channel);
            points.set(place, {s, epsilon, to_f32(input_of<T>(a, 2)[channel]), to_f32(input_of<T>(a, 3)[channel])});
          }
          normalise<T>(threads, z, points, f, input_of<T>(a, 0), adds ? input_of<T>(a, 4) : nullptr,
                       output_of<T>(a, 0));
        });
  });
}

DDLBENCH_CPU_KERNEL(batch_norm_inference, Storage::any_float, Channels::in_blocks) {
  const auto z = sizes_of_batch_norm_inference(binding, Storage::any_float);
  const auto& op = attributes_of<graph::BatchNormInference>(binding);
  return own::with_storage(binding.inputs[0].dtype, [&]<class T>(own::StorageTag<T>) {
    return make_kernel(binding, NormPoints::bytes(z.places()),
                       [=, threads = context.threads, epsilon = op.epsilon, adds = op.residual,
                        f = op.activation](const Arguments& a) {
                         const NormPoints points{static_cast<float*>(a.workspace), z.places()};
                         for (std::int64_t c = 0; c < z.channels; ++c) {
                           const float scale = to_f32(input_of<T>(a, 1)[c]) / std::sqrt(input(a, 4)[c] + epsilon);
                           points.set(c, {input(a, 3)[c], scale, to_f32(input_of<T>(a, 2)[c])});
                         }
                         normalise<T>(threads, z, points, f, input_of<T>(a, 0), adds ? input_of<T>(a, 5) : nullptr,
                                      output_of<T>(a, 0));
                       });
  });
}

DDLBENCH_CPU_KERNEL(batch_norm_backward_input, Storage::any_float, Channels::in_blocks) {
  const auto z = sizes_of_batch_norm_backward_input(binding, Storage::any_float);
  const auto& op = attributes_of<graph::BatchNormBackwardInput>(binding);
  return own::with_storage(binding.inputs[1].dtype, [&]<class T>(own::StorageTag<T>) {
    return make_kernel(binding, GradientPoints::bytes(z.places()),
                       [=, threads = context.threads, accumulate = binding.accumulate, epsilon = op.norm.epsilon,
                        f = op.activation](const Arguments& a) {
                         const GradientPoints points{static_cast<float*>(a.workspace), z.places()};
                         for (std::int64_t place = 0; place < z.places(); ++place) {
                           const std::int64_t group = place / z.channels, channel = place % z.channels;
                           const float* sums = input(a, 3) + group * 2 * z.channels + channel;
                           const float shift = f == graph::Activation::none ? 0 : to_f32(input_of<T>(a, 5)[channel]);
                           points.set(place, {statistics_of(input(a, 2), z.channels, group, channel), epsilon,
                                              to_f32(input_of<T>(a, 4)[channel]), shift, sums[0], sums[z.channels]});
                         }
                         normalise_backward(threads, z, points, f, input_of<T>(a, 0), input_of<T>(a, 1),
                                            output_of<T>(a, 0), accumulate);
                       });
  });
}

}  // namespace ddlbench::kernels::cpu
