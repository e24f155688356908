#pragma once

#include "graph/ops/batch_norm.h"
#include "kernels/functors/batch_statistics.h"
#include "kernels/own/bind.h"
#include "kernels/sizes/norm.h"

/// A thread processes one channel of all groups.
namespace ddlbench::kernels::own {

template <class T>
struct BatchNormWeightBody {
  const float* sums;
  T* dgamma;
  T* dbeta;
  std::int64_t groups, channels;
  bool accumulate;

  DDLBENCH_DEVICE void operator()(auto& team) const {
    each_index(team, channels, [&](std::int64_t c) {
      double gamma = 0, beta = 0;
      DDLBENCH_UNROLL
      for (std::int64_t g = 0; g < groups; ++g) {
        gamma += sums[g * 2 * channels + c];
        beta += sums[(g * 2 + 1) * channels + c];
      }
      store_one(dgamma + c, static_cast<float>(gamma), accumulate);
      store_one(dbeta + c, static_cast<float>(beta), accumulate);
    });
  }
};

struct CombineMomentsBody {
  const float* of_parts;
  float* moments;
  std::int64_t parts, channels;

  DDLBENCH_DEVICE void operator()(auto& team) const {
    each_index(team, channels, [&](std::int64_t c) {
      ChannelStatistics all{0, 0, 0};
      DDLBENCH_UNROLL
      for (std::int64_t part = 0; part < parts; ++part) {
        all = combined(all, statistics_of(of_parts, channels, part, c));
      }
      write_statistics(moments, channels, 0, c, all);
    });
  }
};

struct ObserveMomentsBody {
  const float* moments;
  float* means;
  float* variances;
  std::int64_t groups, channels;
  bool accumulate;

  DDLBENCH_DEVICE void operator()(auto& team) const {
    each_index(team, channels, [&](std::int64_t c) {
      const ObservedStatistics all = observed_statistics(moments, groups, channels, c);
      store_one(means + c, static_cast<float>(all.mean), accumulate);
      store_one(variances + c, static_cast<float>(all.variance), accumulate);
    });
  }
};

struct StatisticUpdateBody {
  const float* statistic;
  const float* observed;
  float* updated;
  std::int64_t size;
  float momentum, scale;

  DDLBENCH_DEVICE void operator()(auto& team) const {
    each_index(team, size,
               [&](std::int64_t i) { updated[i] = updated_statistic(momentum, scale, statistic[i], observed[i]); });
  }
};

std::unique_ptr<Kernel> bind_batch_norm_backward_weight(const Binding& binding, const auto& launcher) {
  const auto z = sizes_of_batch_norm_backward_weight(binding, Storage::any_float);
  return with_storage(binding.outputs[0].dtype, [&]<class T>(StorageTag<T>) {
    return make_kernel(binding, [=, accumulate = binding.accumulate](const Arguments& a) {
      const BatchNormWeightBody<T> body{input(a, 0), output_of<T>(a, 0), output_of<T>(a, 1),
                                        z.groups,    z.channels,         accumulate};
      launcher.items("batch_norm_backward_weight", z.channels, body);
    });
  });
}

std::unique_ptr<Kernel> bind_combine_moments(const Binding& binding, const auto& launcher) {
  const auto z = sizes_of_combine_moments(binding);
  return make_kernel(binding, [=](const Arguments& a) {
    const CombineMomentsBody body{input(a, 0), output(a, 0), z.groups, z.channels};
    launcher.items("combine_moments", z.channels, body);
  });
}

std::unique_ptr<Kernel> bind_observe_moments(const Binding& binding, const auto& launcher) {
  const auto z = sizes_of_observe_moments(binding);
  return make_kernel(binding, [=, accumulate = binding.accumulate](const Arguments& a) {
    const ObserveMomentsBody body{input(a, 0), output(a, 0), output(a, 1), z.groups, z.channels, accumulate};
    launcher.items("observe_moments", z.channels, body);
  });
}

std::unique_ptr<Kernel> bind_statistic_update(const Binding& binding, const auto& launcher) {
  const auto size = size_of_statistic_update(binding);
  const auto& op = attributes_of<graph::StatisticUpdate>(binding);
  return make_kernel(binding, [=, momentum = op.momentum, scale = static_cast<float>(op.scale)](const Arguments& a) {
    const StatisticUpdateBody body{input(a, 0), input(a, 1), output(a, 0), size, momentum, scale};
    launcher.items("statistic_update", size, body);
  });
}

}  // namespace ddlbench::kernels::own
