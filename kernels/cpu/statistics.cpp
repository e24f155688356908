#include "graph/ops/batch_norm.h"
#include "kernels/cpu/ops.h"
#include "kernels/cpu/parallel.h"
#include "kernels/functors/batch_statistics.h"
#include "kernels/operands.h"
#include "kernels/sizes/norm.h"

namespace ddlbench::kernels::cpu {

DDLBENCH_CPU_KERNEL(batch_norm_backward_weight) {
  const auto z = sizes_of_batch_norm_backward_weight(binding);
  return make_kernel(binding, [z, threads = context.threads, accumulate = binding.accumulate](const Arguments& a) {
    parallel_for(threads, z.channels, z.places(), [&](std::int64_t begin, std::int64_t end) {
      for (const int which : {0, 1}) {
        for (std::int64_t c = begin; c < end; ++c) {
          double sum = 0;
          for (std::int64_t g = 0; g < z.groups; ++g) sum += input(a, 0)[(g * 2 + which) * z.channels + c];
          write(output(a, which)[c], sum, accumulate);
        }
      }
    });
  });
}

DDLBENCH_CPU_KERNEL(combine_moments) {
  const auto z = sizes_of_combine_moments(binding);
  return make_kernel(binding, [z, threads = context.threads](const Arguments& a) {
    parallel_for(threads, z.channels, z.places(), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t c = begin; c < end; ++c) {
        ChannelStatistics all{0, 0, 0};
        for (std::int64_t part = 0; part < z.groups; ++part)
          all = combined(all, statistics_of(input(a, 0), z.channels, part, c));
        write_statistics(output(a, 0), z.channels, 0, c, all);
      }
    });
  });
}

DDLBENCH_CPU_KERNEL(observe_moments) {
  const auto z = sizes_of_observe_moments(binding);
  return make_kernel(binding, [z, threads = context.threads, accumulate = binding.accumulate](const Arguments& a) {
    parallel_for(threads, z.channels, z.places(), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t c = begin; c < end; ++c) {
        const ObservedStatistics all = observed_statistics(input(a, 0), z.groups, z.channels, c);
        write(output(a, 0)[c], all.mean, accumulate);
        write(output(a, 1)[c], all.variance, accumulate);
      }
    });
  });
}

DDLBENCH_CPU_KERNEL(statistic_update) {
  const auto size = size_of_statistic_update(binding);
  const auto& op = attributes_of<graph::StatisticUpdate>(binding);
  return make_kernel(binding, [size, threads = context.threads, momentum = op.momentum,
                               scale = static_cast<float>(op.scale)](const Arguments& a) {
    const float *statistic = input(a, 0), *observed = input(a, 1);
    float* updated = output(a, 0);
    parallel_for(threads, size, size, [=](std::int64_t begin, std::int64_t end) {
      DDLBENCH_INDEPENDENT
      for (std::int64_t i = begin; i < end; ++i) {
        updated[i] = updated_statistic(momentum, scale, statistic[i], observed[i]);
      }
    });
  });
}

}  // namespace ddlbench::kernels::cpu
