#include "graph/ops/loss.h"

#include "kernels/cpu/loss_rows.h"
#include "kernels/cpu/ops.h"
#include "kernels/operands.h"

namespace ddlbench::kernels::cpu {

void add_cross_entropy(KernelTable& table, const Context& context) {
  table.add("cross_entropy", [&context](const Binding& binding) {
    const auto z = sizes_of_cross_entropy(binding);
    const SmoothedTarget<float> target(attributes_of<graph::CrossEntropy>(binding).label_smoothing, z.classes);
    const auto launch = [=, threads = context.threads, accumulate = binding.accumulate](const Arguments& a) {
      const auto* labels = input_of<std::int32_t>(a, 1);
      check_labels(labels, z);
      auto* rows = static_cast<LossRow*>(a.workspace);
      loss_rows(threads, input(a, 0), labels, z, target, rows);
      write_metrics(a, rows, z.n, accumulate);
    };
    return make_kernel(flops_of(binding), launch, static_cast<std::size_t>(z.n) * sizeof(LossRow));
  });
}

void add_cross_entropy_backward(KernelTable& table, const Context& context) {
  table.add("cross_entropy_backward", [&context](const Binding& binding) {
    const auto z = sizes_of_cross_entropy_backward(binding);
    const SmoothedTarget<float> target(attributes_of<graph::CrossEntropyBackward>(binding).label_smoothing, z.classes);
    const auto launch = [=, threads = context.threads, accumulate = binding.accumulate](const Arguments& a) {
      const auto* labels = input_of<std::int32_t>(a, 1);
      check_labels(labels, z);
      const float scale = a.scalars->inverse_count * a.scalars->scaler.scale;
      gradient_rows(threads, input(a, 0), labels, z, target, scale, accumulate, output(a, 0));
    };
    return make_kernel(flops_of(binding), launch);
  });
}

void add_mean_squared_error(KernelTable& table, const Context& context) {
  table.add("mean_squared_error", [&context](const Binding& binding) {
    const auto z = sizes_of_cross_entropy(binding);
    const auto launch = [=, threads = context.threads, accumulate = binding.accumulate](const Arguments& a) {
      const auto* labels = input_of<std::int32_t>(a, 1);
      check_labels(labels, z);
      auto* rows = static_cast<LossRow*>(a.workspace);
      squared_error_rows(threads, input(a, 0), labels, z, rows);
      write_metrics(a, rows, z.n, accumulate);
    };
    return make_kernel(flops_of(binding), launch, static_cast<std::size_t>(z.n) * sizeof(LossRow));
  });
}

void add_mean_squared_error_backward(KernelTable& table, const Context& context) {
  table.add("mean_squared_error_backward", [&context](const Binding& binding) {
    const auto z = sizes_of_cross_entropy_backward(binding);
    const auto launch = [=, threads = context.threads, accumulate = binding.accumulate](const Arguments& a) {
      const auto* labels = input_of<std::int32_t>(a, 1);
      check_labels(labels, z);
      const float scale = a.scalars->inverse_count * a.scalars->scaler.scale;
      squared_error_gradient_rows(threads, input(a, 0), labels, z, scale, accumulate, output(a, 0));
    };
    return make_kernel(flops_of(binding), launch);
  });
}

}  // namespace ddlbench::kernels::cpu
