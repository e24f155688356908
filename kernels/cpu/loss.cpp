#include "graph/ops/loss.h"

#include "kernels/cpu/loss_rows.h"
#include "kernels/cpu/ops.h"
#include "kernels/operands.h"

namespace ddlbench::kernels::cpu {

DDLBENCH_CPU_KERNEL(cross_entropy) {
  const auto z = sizes_of_cross_entropy(binding);
  const SmoothedTarget<float> target(attributes_of<graph::CrossEntropy>(binding).label_smoothing, z.classes);
  return make_kernel(binding, static_cast<std::size_t>(z.n) * sizeof(LossRow),
                     [=, threads = context.threads, accumulate = binding.accumulate](const Arguments& a) {
                       const auto* labels = input_of<std::int32_t>(a, 1);
                       check_labels(labels, z);
                       auto* rows = static_cast<LossRow*>(a.workspace);
                       loss_rows(threads, input(a, 0), labels, z, target, rows);
                       write_metrics(a, rows, z.n, accumulate);
                     });
}

DDLBENCH_CPU_KERNEL(cross_entropy_backward) {
  const auto z = sizes_of_cross_entropy_backward(binding);
  const SmoothedTarget<float> target(attributes_of<graph::CrossEntropyBackward>(binding).label_smoothing, z.classes);
  return make_kernel(binding, [=, threads = context.threads, accumulate = binding.accumulate](const Arguments& a) {
    const auto* labels = input_of<std::int32_t>(a, 1);
    check_labels(labels, z);
    const float scale = a.scalars->inverse_count * a.scalars->scaler.scale;
    gradient_rows(threads, input(a, 0), labels, z, target, scale, accumulate, output(a, 0));
  });
}

DDLBENCH_CPU_KERNEL(mean_squared_error) {
  const auto z = sizes_of_cross_entropy(binding);
  return make_kernel(binding, static_cast<std::size_t>(z.n) * sizeof(LossRow),
                     [=, threads = context.threads, accumulate = binding.accumulate](const Arguments& a) {
                       const auto* labels = input_of<std::int32_t>(a, 1);
                       check_labels(labels, z);
                       auto* rows = static_cast<LossRow*>(a.workspace);
                       squared_error_rows(threads, input(a, 0), labels, z, rows);
                       write_metrics(a, rows, z.n, accumulate);
                     });
}

DDLBENCH_CPU_KERNEL(mean_squared_error_backward) {
  const auto z = sizes_of_cross_entropy_backward(binding);
  return make_kernel(binding, [=, threads = context.threads, accumulate = binding.accumulate](const Arguments& a) {
    const auto* labels = input_of<std::int32_t>(a, 1);
    check_labels(labels, z);
    const float scale = a.scalars->inverse_count * a.scalars->scaler.scale;
    squared_error_gradient_rows(threads, input(a, 0), labels, z, scale, accumulate, output(a, 0));
  });
}

}  // namespace ddlbench::kernels::cpu
