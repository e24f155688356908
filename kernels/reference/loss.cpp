#include "kernels/flat_sizes.h"
#include "kernels/functors.h"
#include "kernels/labels.h"
#include "kernels/operands.h"
#include "kernels/reference/ops.h"

namespace ddlbench::kernels::reference {

void add_cross_entropy(KernelTable& table) {
  table.add("cross_entropy", [](const Binding& binding) {
    const auto z = sizes_of_cross_entropy(binding);
    return make_kernel(flops_of(binding), [=, accumulate = binding.accumulate](const Arguments& a) {
      const float* logits = input(a, 0);
      const auto* labels = input_of<std::int32_t>(a, 1);
      double loss = 0, correct = 0;
      for (std::int64_t n = 0; n < z.n; ++n) {
        if (!is_sample(labels, n, z.classes)) continue;
        const SoftmaxRow<double> row(logits + n * z.classes, z.classes);
        loss += row.loss(logits[n * z.classes + labels[n]]);
        correct += row.largest == labels[n] ? 1 : 0;
      }
      write(output(a, 0)[0], loss * a.scalars->inverse_count, accumulate);
      write(output(a, 1)[0], correct, accumulate);
    });
  });
}

void add_cross_entropy_backward(KernelTable& table) {
  table.add("cross_entropy_backward", [](const Binding& binding) {
    const auto z = sizes_of_cross_entropy_backward(binding);
    return make_kernel(flops_of(binding), [=, accumulate = binding.accumulate](const Arguments& a) {
      const float* logits = input(a, 0);
      const auto* labels = input_of<std::int32_t>(a, 1);
      const double scale = double{a.scalars->inverse_count} * a.scalars->loss_scale;
      for (std::int64_t n = 0; n < z.n; ++n) {
        const bool counts = is_sample(labels, n, z.classes);
        const SoftmaxRow<double> row(logits + n * z.classes, z.classes);
        for (std::int64_t c = 0; c < z.classes; ++c) {
          const std::int64_t i = n * z.classes + c;
          const double gradient = row.probability(logits[i]) - (labels[n] == c ? 1 : 0);
          write(output(a, 0)[i], counts ? gradient * scale : 0, accumulate);
        }
      }
    });
  });
}

}  // namespace ddlbench::kernels::reference
