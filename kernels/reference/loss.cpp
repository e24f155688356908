#include "graph/ops/loss.h"

#include "kernels/labels.h"
#include "kernels/operands.h"
#include "kernels/reference/ops.h"
#include "kernels/reference/softmax_rows.h"
#include "kernels/sizes/flat.h"

namespace ddlbench::kernels::reference {
DDLBENCH_REFERENCE_KERNEL(cross_entropy) {
  const auto z = sizes_of_cross_entropy(binding);
  const SmoothedTarget<double> target(attributes_of<graph::CrossEntropy>(binding).label_smoothing, z.classes);
  return make_kernel(binding, [=, accumulate = binding.accumulate](const Arguments& a) {
    const auto* labels = input_of<std::int32_t>(a, 1);
    Metrics metrics;
    for (std::int64_t n = 0; n < z.n; ++n) {
      if (!is_sample(labels, n, z.classes)) continue;
      metrics.add_cross_entropy(target, input(a, 0) + n * z.classes, z.classes, labels[n]);
    }
    metrics.write_to(a, accumulate);
  });
}

DDLBENCH_REFERENCE_KERNEL(cross_entropy_backward) {
  const auto z = sizes_of_cross_entropy_backward(binding);
  const SmoothedTarget<double> target(attributes_of<graph::CrossEntropyBackward>(binding).label_smoothing, z.classes);
  return make_kernel(binding, [=, accumulate = binding.accumulate](const Arguments& a) {
    const auto* labels = input_of<std::int32_t>(a, 1);
    const double scale = double{a.scalars->inverse_count} * a.scalars->scaler.scale;
    for (std::int64_t n = 0; n < z.n; ++n) {
      const bool counts = is_sample(labels, n, z.classes);
      const float* logits = input(a, 0) + n * z.classes;
      const auto softmax = softmax_of(logits, z.classes);
      for (std::int64_t c = 0; c < z.classes; ++c) {
        const double gradient = counts ? target.gradient(softmax, logits[c], labels[n] == c) * scale : 0;
        write(output(a, 0)[n * z.classes + c], gradient, accumulate);
      }
    }
  });
}

DDLBENCH_REFERENCE_KERNEL(mean_squared_error) {
  const auto z = sizes_of_cross_entropy(binding);
  return make_kernel(binding, [=, accumulate = binding.accumulate](const Arguments& a) {
    const auto* labels = input_of<std::int32_t>(a, 1);
    Metrics metrics;
    for (std::int64_t n = 0; n < z.n; ++n) {
      if (!is_sample(labels, n, z.classes)) continue;
      const float* scores = input(a, 0) + n * z.classes;
      double sum = 0;
      for (std::int64_t c = 0; c < z.classes; ++c) {
        const double difference = double{scores[c]} - (c == labels[n] ? 1 : 0);
        sum += difference * difference;
      }
      metrics.add(sum / static_cast<double>(z.classes), scores, z.classes, labels[n]);
    }
    metrics.write_to(a, accumulate);
  });
}

DDLBENCH_REFERENCE_KERNEL(mean_squared_error_backward) {
  const auto z = sizes_of_cross_entropy_backward(binding);
  return make_kernel(binding, [=, accumulate = binding.accumulate](const Arguments& a) {
    const auto* labels = input_of<std::int32_t>(a, 1);
    const double scale = 2.0 / static_cast<double>(z.classes) * a.scalars->inverse_count * a.scalars->scaler.scale;
    for (std::int64_t n = 0; n < z.n; ++n) {
      const bool counts = is_sample(labels, n, z.classes);
      for (std::int64_t c = 0; c < z.classes; ++c) {
        const std::int64_t i = n * z.classes + c;
        const double difference = double{input(a, 0)[i]} - (c == labels[n] ? 1 : 0);
        write(output(a, 0)[i], counts ? difference * scale : 0, accumulate);
      }
    }
  });
}

}  // namespace ddlbench::kernels::reference
