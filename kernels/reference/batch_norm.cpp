#include "graph/ops/batch_norm.h"

#include "kernels/functors/batch_statistics.h"
#include "kernels/functors/elementwise.h"
#include "kernels/operands.h"
#include "kernels/reference/ops.h"
#include "kernels/sizes/norm.h"

namespace ddlbench::kernels::reference {
namespace {

/// Calls body(element) for all elements of a group and channel.
void each_of_place(const BatchNormSizes& z, std::int64_t g, std::int64_t c, const auto& body) {
  for (std::int64_t n = 0; n < z.samples; ++n) {
    for (std::int64_t i = 0; i < z.inner; ++i) body(z.row(g, n, c) * z.inner + i);
  }
}

/// Calls body(group, channel) for all pairs.
void each_place(const BatchNormSizes& z, const auto& body) {
  for (std::int64_t g = 0; g < z.groups; ++g) {
    for (std::int64_t c = 0; c < z.channels; ++c) body(g, c);
  }
}

/// Returns the input of the activation; `gamma` and `beta` are indices of inputs.
double z_of(double from_mean, double rstd, const Arguments& a, int gamma, int beta, std::int64_t c) {
  return from_mean * rstd * input(a, gamma)[c] + input(a, beta)[c];
}

}  // namespace

DDLBENCH_REFERENCE_KERNEL(batch_moments) {
  const auto z = sizes_of_batch_moments(binding);
  return make_kernel(binding, [z](const Arguments& a) {
    each_place(z, [&](std::int64_t g, std::int64_t c) {
      const auto n = static_cast<double>(z.values());
      double sum = 0, m2 = 0;
      each_of_place(z, g, c, [&](std::int64_t e) { sum += input(a, 0)[e]; });
      const double mean = n > 0 ? sum / n : 0;
      each_of_place(z, g, c, [&](std::int64_t e) {
        const double from_mean = input(a, 0)[e] - mean;
        m2 += from_mean * from_mean;
      });
      write_statistics(output(a, 0), z.channels, g, c, {n, mean, m2});
    });
  });
}

/// Uses two passes: first the mean of all values, then M2 of each part about that mean.
DDLBENCH_REFERENCE_KERNEL(combine_moments) {
  const auto z = sizes_of_combine_moments(binding);
  return make_kernel(binding, [z](const Arguments& a) {
    for (std::int64_t c = 0; c < z.channels; ++c) {
      const auto each_part = [&](const auto& body) {
        for (std::int64_t g = 0; g < z.groups; ++g) body(statistics_of(input(a, 0), z.channels, g, c));
      };
      double n = 0, sum = 0, m2 = 0;
      each_part([&](const ChannelStatistics& part) {
        n += part.count;
        sum += part.count * part.mean;
      });
      const double mean = n > 0 ? sum / n : 0;
      each_part(
          [&](const ChannelStatistics& part) { m2 += part.m2 + part.count * (part.mean - mean) * (part.mean - mean); });
      write_statistics(output(a, 0), z.channels, 0, c, {n, mean, m2});
    }
  });
}

DDLBENCH_REFERENCE_KERNEL(batch_norm) {
  const auto z = sizes_of_batch_norm(binding);
  const auto& op = attributes_of<graph::BatchNorm>(binding);
  return make_kernel(binding,
                     [=, epsilon = op.norm.epsilon, adds = op.residual, f = op.activation](const Arguments& a) {
                       each_place(z, [&](std::int64_t g, std::int64_t c) {
                         const auto s = statistics_of(input(a, 1), z.channels, g, c);
                         each_of_place(z, g, c, [&](std::int64_t e) {
                           const double y = z_of(input(a, 0)[e] - s.mean, s.rstd(epsilon), a, 2, 3, c);
                           output(a, 0)[e] = static_cast<float>(activate(f, adds ? y + input(a, 4)[e] : y));
                         });
                       });
                     });
}

DDLBENCH_REFERENCE_KERNEL(batch_norm_inference) {
  const auto z = sizes_of_batch_norm_inference(binding);
  const auto& op = attributes_of<graph::BatchNormInference>(binding);
  return make_kernel(
      binding, [=, epsilon = double{op.epsilon}, adds = op.residual, f = op.activation](const Arguments& a) {
        each_place(z, [&](std::int64_t g, std::int64_t c) {
          const double rstd = 1 / std::sqrt(input(a, 4)[c] + epsilon);
          each_of_place(z, g, c, [&](std::int64_t e) {
            const double y = (double{input(a, 0)[e]} - input(a, 3)[c]) * rstd * input(a, 1)[c] + input(a, 2)[c];
            output(a, 0)[e] = static_cast<float>(activate(f, adds ? y + input(a, 5)[e] : y));
          });
        });
      });
}

DDLBENCH_REFERENCE_KERNEL(batch_norm_backward_moments) {
  const auto z = sizes_of_batch_norm_backward_moments(binding);
  return make_kernel(binding, [z, op = attributes_of<graph::BatchNormBackwardMoments>(binding)](const Arguments& a) {
    each_place(z, [&](std::int64_t g, std::int64_t c) {
      const auto s = statistics_of(input(a, 2), z.channels, g, c);
      const double rstd = s.rstd(op.norm.epsilon);
      double with_normal = 0, alone = 0;
      each_of_place(z, g, c, [&](std::int64_t e) {
        const double from_mean = input(a, 1)[e] - s.mean;
        double dz = input(a, 0)[e];
        if (op.recomputes_z()) dz = activation_gradient(op.activation, dz, z_of(from_mean, rstd, a, 3, 4, c));
        if (op.writes_dz()) {
          dz = activation_gradient(op.activation, dz, double{input(a, 3)[e]});
          output(a, 1)[e] = static_cast<float>(dz);
        }
        with_normal += dz * from_mean * rstd;
        alone += dz;
      });
      float* sums = output(a, 0) + g * 2 * z.channels + c;
      sums[0] = static_cast<float>(with_normal);
      sums[z.channels] = static_cast<float>(alone);
    });
  });
}

DDLBENCH_REFERENCE_KERNEL(batch_norm_backward_input) {
  const auto z = sizes_of_batch_norm_backward_input(binding);
  const auto& op = attributes_of<graph::BatchNormBackwardInput>(binding);
  return make_kernel(
      binding, [z, epsilon = op.norm.epsilon, f = op.activation, accumulate = binding.accumulate](const Arguments& a) {
        each_place(z, [&](std::int64_t g, std::int64_t c) {
          const auto s = statistics_of(input(a, 2), z.channels, g, c);
          const double rstd = s.rstd(epsilon);
          const float* sums = input(a, 3) + g * 2 * z.channels + c;
          each_of_place(z, g, c, [&](std::int64_t e) {
            const double from_mean = input(a, 1)[e] - s.mean;
            double dz = input(a, 0)[e];
            if (f != graph::Activation::none) dz = activation_gradient(f, dz, z_of(from_mean, rstd, a, 4, 5, c));
            const double dx =
                rstd * input(a, 4)[c] * (dz - sums[z.channels] / s.count - from_mean * rstd * sums[0] / s.count);
            write(output(a, 0)[e], dx, accumulate);
          });
        });
      });
}

DDLBENCH_REFERENCE_KERNEL(batch_norm_backward_weight) {
  const auto z = sizes_of_batch_norm_backward_weight(binding);
  return make_kernel(binding, [z, accumulate = binding.accumulate](const Arguments& a) {
    for (std::int64_t which = 0; which < 2; ++which) {
      for (std::int64_t c = 0; c < z.channels; ++c) {
        double sum = 0;
        for (std::int64_t g = 0; g < z.groups; ++g) sum += input(a, 0)[(g * 2 + which) * z.channels + c];
        write(output(a, static_cast<int>(which))[c], sum, accumulate);
      }
    }
  });
}

}  // namespace ddlbench::kernels::reference
