#include "graph/ops/batch_norm.h"
#include "kernels/functors/batch_statistics.h"
#include "kernels/operands.h"
#include "kernels/reference/ops.h"
#include "kernels/sizes/norm.h"

namespace ddlbench::kernels::reference {

DDLBENCH_REFERENCE_KERNEL(observe_moments) {
  const auto z = sizes_of_observe_moments(binding);
  return make_kernel(binding, [z, accumulate = binding.accumulate](const Arguments& a) {
    for (std::int64_t c = 0; c < z.channels; ++c) {
      double mean = 0, variance = 0;
      for (std::int64_t g = 0; g < z.groups; ++g) {
        const auto s = statistics_of(input(a, 0), z.channels, g, c);
        mean += s.mean;
        variance += s.unbiased_variance();
      }
      write(output(a, 0)[c], mean, accumulate);
      write(output(a, 1)[c], variance, accumulate);
    }
  });
}

DDLBENCH_REFERENCE_KERNEL(statistic_update) {
  const auto size = size_of_statistic_update(binding);
  const auto& op = attributes_of<graph::StatisticUpdate>(binding);
  return make_kernel(binding, [size, momentum = op.momentum, scale = op.scale](const Arguments& a) {
    for (std::int64_t i = 0; i < size; ++i) {
      output(a, 0)[i] =
          static_cast<float>(updated_statistic(momentum, scale, double{input(a, 0)[i]}, double{input(a, 1)[i]}));
    }
  });
}

}  // namespace ddlbench::kernels::reference
