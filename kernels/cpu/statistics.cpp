#include "graph/ops/batch_norm.h"
#include "kernels/batch_statistics.h"
#include "kernels/cpu/ops.h"
#include "kernels/cpu/parallel.h"
#include "kernels/norm_sizes.h"
#include "kernels/operands.h"

namespace ddlbench::kernels::cpu {

void add_batch_norm_backward_weight(KernelTable& table, const Context& context) {
  table.add("batch_norm_backward_weight", [&context](const Binding& binding) {
    const auto z = sizes_of_batch_norm_backward_weight(binding);
    const auto launch = [z, threads = context.threads, accumulate = binding.accumulate](const Arguments& a) {
      parallel_for(threads, z.channels, z.places(), [&](std::int64_t begin, std::int64_t end) {
        for (const int which : {0, 1}) {
          for (std::int64_t c = begin; c < end; ++c) {
            double sum = 0;
            for (std::int64_t g = 0; g < z.groups; ++g) sum += input(a, 0)[(g * 2 + which) * z.channels + c];
            write(output(a, which)[c], sum, accumulate);
          }
        }
      });
    };
    return make_kernel(flops_of(binding), launch);
  });
}

void add_combine_moments(KernelTable& table, const Context& context) {
  table.add("combine_moments", [&context](const Binding& binding) {
    const auto z = sizes_of_combine_moments(binding);
    const auto launch = [z, threads = context.threads](const Arguments& a) {
      parallel_for(threads, z.channels, z.places(), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t c = begin; c < end; ++c) {
          ChannelStatistics all{0, 0, 0};
          for (std::int64_t part = 0; part < z.groups; ++part)
            all = combined(all, statistics_of(input(a, 0), z.channels, part, c));
          write_statistics(output(a, 0), z.channels, 0, c, all);
        }
      });
    };
    return make_kernel(flops_of(binding), launch);
  });
}

void add_observe_moments(KernelTable& table, const Context& context) {
  table.add("observe_moments", [&context](const Binding& binding) {
    const auto z = sizes_of_observe_moments(binding);
    const auto launch = [z, threads = context.threads, accumulate = binding.accumulate](const Arguments& a) {
      parallel_for(threads, z.channels, z.places(), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t c = begin; c < end; ++c) {
          const ObservedStatistics all = observed_statistics(input(a, 0), z.groups, z.channels, c);
          write(output(a, 0)[c], all.mean, accumulate);
          write(output(a, 1)[c], all.variance, accumulate);
        }
      });
    };
    return make_kernel(flops_of(binding), launch);
  });
}

void add_statistic_update(KernelTable& table, const Context& context) {
  table.add("statistic_update", [&context](const Binding& binding) {
    const auto size = size_of_statistic_update(binding);
    const auto& op = attributes_of<graph::StatisticUpdate>(binding);
    const auto launch = [size, threads = context.threads, momentum = op.momentum,
                         scale = static_cast<float>(op.scale)](const Arguments& a) {
      const float *statistic = input(a, 0), *observed = input(a, 1);
      float* updated = output(a, 0);
      parallel_for(threads, size, size, [=](std::int64_t begin, std::int64_t end) {
        DDLBENCH_INDEPENDENT
        for (std::int64_t i = begin; i < end; ++i) {
          updated[i] = updated_statistic(momentum, scale, statistic[i], observed[i]);
        }
      });
    };
    return make_kernel(flops_of(binding), launch);
  });
}

}  // namespace ddlbench::kernels::cpu
