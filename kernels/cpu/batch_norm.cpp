#include "graph/ops/batch_norm.h"

#include <array>
#include <bit>

#include "kernels/batch_statistics.h"
#include "kernels/cpu/blocks.h"
#include "kernels/cpu/ops.h"
#include "kernels/cpu/parallel.h"
#include "kernels/functors.h"
#include "kernels/norm_sizes.h"
#include "kernels/operands.h"

namespace ddlbench::kernels::cpu {
namespace {

/// Numbers of each group and channel that a launch works out first, into its workspace: `kinds` arrays.
template <class Point, int kinds>
struct Points {
  float* first;
  std::int64_t places;

  static std::size_t bytes(std::int64_t places) { return static_cast<std::size_t>(kinds * places) * sizeof(float); }

  void set(std::int64_t place, const Point& point) const {
    static_assert(sizeof(Point) == kinds * sizeof(float));
    const auto values = std::bit_cast<std::array<float, kinds>>(point);
    for (int k = 0; k < kinds; ++k) first[k * places + place] = values[static_cast<std::size_t>(k)];
  }
  Point operator[](std::int64_t place) const {
    std::array<float, kinds> values;
    for (int k = 0; k < kinds; ++k) values[static_cast<std::size_t>(k)] = first[k * places + place];
    return std::bit_cast<Point>(values);
  }
};

using NormPoints = Points<NormPoint, 3>;
using GradientPoints = Points<NormGradientPoint, 4>;

/// write_each where channels lie in blocks.
template <class Points, class Value>
void write_each_in_blocks(int threads, const BatchNormSizes& z, const Points& points, float* y, bool accumulate,
                          const Value& value) {
  const std::int64_t rows = z.rows() / z.block;
  parallel_for(threads, rows, z.elements(), [=](std::int64_t begin, std::int64_t end) {
    with_block(z.block, [=](auto block) {
      for (std::int64_t row = begin; row < end; ++row) {
        const std::int64_t sample = row * block / z.channels;
        const std::int64_t place = sample / z.samples * z.channels + row * block % z.channels;
        for (std::int64_t i = row * z.inner; i < (row + 1) * z.inner; ++i) {
          float made[longest_channel_block];  // apart from y, which may be an input, too
          for (std::int64_t c = 0; c < block; ++c) made[c] = value(i * block + c, points[place + c]);
          for (std::int64_t c = 0; c < block; ++c) y[i * block + c] = accumulate ? y[i * block + c] + made[c] : made[c];
        }
      }
    });
  });
}

/// y[e] = value(e, point), or added to what is there.
template <class Points, class Value>
void write_each(int threads, const BatchNormSizes& z, const Points& points, float* y, bool accumulate,
                const Value& value) {
  if (z.block > 1) return write_each_in_blocks(threads, z, points, y, accumulate, value);
  const bool by_samples = z.inner == 1;  // their channels lie beside each other
  const std::int64_t rows = by_samples ? z.groups * z.samples : z.rows(), size = by_samples ? z.channels : z.inner;
  parallel_for(threads, rows, z.elements(), [=](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      const std::int64_t start = row * size, group = row / (rows / z.groups);
      const auto write_row = [&](const auto& point_of) {
        if (accumulate) {
          DDLBENCH_INDEPENDENT
          for (std::int64_t i = 0; i < size; ++i) y[start + i] += value(start + i, point_of(i));
        } else {
          DDLBENCH_INDEPENDENT
          for (std::int64_t i = 0; i < size; ++i) y[start + i] = value(start + i, point_of(i));
        }
      };
      if (by_samples) {
        write_row([=](std::int64_t i) { return points[group * z.channels + i]; });
      } else {
        write_row([point = points[group * z.channels + row % z.channels]](std::int64_t) { return point; });
      }
    }
  });
}

/// With the residual added, if there is one.
void normalise(int threads, const BatchNormSizes& z, const NormPoints& points, graph::Activation f, const float* x,
               const float* residual, float* y) {
  if (residual == nullptr) {
    write_each(threads, z, points, y, false,
               [=](std::int64_t e, const NormPoint& point) { return activate(f, point(x[e])); });
  } else {
    write_each(threads, z, points, y, false,
               [=](std::int64_t e, const NormPoint& point) { return activate(f, point(x[e]) + residual[e]); });
  }
}

}  // namespace

void add_batch_norm(KernelTable& table, const Context& context) {
  table.add(
      "batch_norm",
      [&context](const Binding& binding) {
        const auto z = sizes_of_batch_norm(binding);
        const auto& op = attributes_of<graph::BatchNorm>(binding);
        const auto launch = [=, threads = context.threads, epsilon = op.norm.epsilon, adds = op.residual,
                             f = op.activation](const Arguments& a) {
          const NormPoints points{static_cast<float*>(a.workspace), z.places()};
          for (std::int64_t place = 0; place < z.places(); ++place) {
            const std::int64_t channel = place % z.channels;
            const auto s = statistics_of(input(a, 1), z.channels, place / z.channels, channel);
            const auto scale = static_cast<float>(s.rstd(epsilon) * input(a, 2)[channel]);
            points.set(place, {static_cast<float>(s.mean), scale, input(a, 3)[channel]});
          }
          normalise(threads, z, points, f, input(a, 0), adds ? input(a, 4) : nullptr, output(a, 0));
        };
        return make_kernel(flops_of(binding), launch, NormPoints::bytes(z.places()));
      },
      Channels::in_blocks);
}

void add_batch_norm_inference(KernelTable& table, const Context& context) {
  table.add(
      "batch_norm_inference",
      [&context](const Binding& binding) {
        const auto z = sizes_of_batch_norm_inference(binding);
        const auto& op = attributes_of<graph::BatchNormInference>(binding);
        const auto launch = [=, threads = context.threads, epsilon = op.epsilon, adds = op.residual,
                             f = op.activation](const Arguments& a) {
          const NormPoints points{static_cast<float*>(a.workspace), z.places()};
          for (std::int64_t c = 0; c < z.channels; ++c) {
            const float scale = input(a, 1)[c] / std::sqrt(input(a, 4)[c] + epsilon);
            points.set(c, {input(a, 3)[c], scale, input(a, 2)[c]});
          }
          normalise(threads, z, points, f, input(a, 0), adds ? input(a, 5) : nullptr, output(a, 0));
        };
        return make_kernel(flops_of(binding), launch, NormPoints::bytes(z.places()));
      },
      Channels::in_blocks);
}

void add_batch_norm_backward_input(KernelTable& table, const Context& context) {
  table.add(
      "batch_norm_backward_input",
      [&context](const Binding& binding) {
        const auto z = sizes_of_batch_norm_backward_input(binding);
        const auto launch =
            [=, threads = context.threads, accumulate = binding.accumulate,
             epsilon = attributes_of<graph::BatchNormBackwardInput>(binding).norm.epsilon](const Arguments& a) {
              const GradientPoints points{static_cast<float*>(a.workspace), z.places()};
              for (std::int64_t place = 0; place < z.places(); ++place) {
                const std::int64_t group = place / z.channels, channel = place % z.channels;
                const float* sums = input(a, 3) + group * 2 * z.channels + channel;
                points.set(place, {statistics_of(input(a, 2), z.channels, group, channel), epsilon,
                                   input(a, 4)[channel], sums[0], sums[z.channels]});
              }
              write_each(threads, z, points, output(a, 0), accumulate,
                         [dz = input(a, 0), x = input(a, 1)](std::int64_t e, const NormGradientPoint& point) {
                           return point(dz[e], x[e]);
                         });
            };
        return make_kernel(flops_of(binding), launch, GradientPoints::bytes(z.places()));
      },
      Channels::in_blocks);
}

}  // namespace ddlbench::kernels::cpu
