#include <array>

#include "graph/ops/loss.h"
#include "kernels/labels.h"
#include "kernels/reference/ops.h"
#include "kernels/reference/softmax_rows.h"
#include "kernels/sizes/flat.h"

namespace ddlbench::kernels::reference {
namespace {

void logits_of(const Arguments& a, const LinearCrossEntropySizes& z, std::int64_t n, float* logits) {
  for (std::int64_t v = 0; v < z.vocabulary; ++v) {
    double sum = 0;
    for (std::int64_t h = 0; h < z.hidden; ++h)
      sum += double{input(a, 0)[n * z.hidden + h]} * input(a, 1)[v * z.hidden + h];
    logits[v] = static_cast<float>(sum);
  }
}

/// Returns the metrics of all rows. `logits` has space for one row.
Metrics metrics_of(const Arguments& a, const LinearCrossEntropySizes& z, const SmoothedTarget<double>& target,
                   float* logits) {
  const auto* labels = input_of<std::int32_t>(a, 2);
  Metrics metrics;
  for (std::int64_t n = 0; n < z.n; ++n) {
    if (!is_sample(labels, n, z.vocabulary)) continue;
    logits_of(a, z, n, logits);
    metrics.add_cross_entropy(target, logits, z.vocabulary, labels[n]);
  }
  return metrics;
}

/// Computes the gradients of the logits of row n into `gradients`. `logits` has space for the row.
void gradients_of(const Arguments& a, const LinearCrossEntropySizes& z, const SmoothedTarget<double>& target,
                  std::int64_t n, float* logits, double* gradients) {
  const auto* labels = input_of<std::int32_t>(a, 2);
  const bool counts = is_sample(labels, n, z.vocabulary);
  const double scale = counts ? double{a.scalars->inverse_count} * a.scalars->scaler.scale : 0;
  logits_of(a, z, n, logits);
  const auto softmax = softmax_of(logits, z.vocabulary);
  for (std::int64_t v = 0; v < z.vocabulary; ++v)
    gradients[v] = scale * target.gradient(softmax, logits[v], labels[n] == v);
}

/// Computes the gradients of all logits, [n, vocabulary], in the workspace, and returns them.
const double* gradients_of_all(const Arguments& a, const LinearCrossEntropySizes& z,
                               const SmoothedTarget<double>& target) {
  auto* gradients = static_cast<double*>(a.workspace);
  auto* logits = reinterpret_cast<float*>(gradients + z.n * z.vocabulary);
  for (std::int64_t n = 0; n < z.n; ++n) gradients_of(a, z, target, n, logits, gradients + n * z.vocabulary);
  return gradients;
}

void write_dx(const Arguments& a, const LinearCrossEntropySizes& z, const double* gradients, float* dx,
              bool accumulate) {
  for (std::int64_t n = 0; n < z.n; ++n) {
    for (std::int64_t h = 0; h < z.hidden; ++h) {
      double sum = 0;
      for (std::int64_t v = 0; v < z.vocabulary; ++v)
        sum += gradients[n * z.vocabulary + v] * input(a, 1)[v * z.hidden + h];
      write(dx[n * z.hidden + h], sum, accumulate);
    }
  }
}

void write_dw(const Arguments& a, const LinearCrossEntropySizes& z, const double* gradients, float* dw,
              bool accumulate) {
  for (std::int64_t v = 0; v < z.vocabulary; ++v) {
    for (std::int64_t h = 0; h < z.hidden; ++h) {
      double sum = 0;
      for (std::int64_t n = 0; n < z.n; ++n) sum += gradients[n * z.vocabulary + v] * input(a, 0)[n * z.hidden + h];
      write(dw[v * z.hidden + h], sum, accumulate);
    }
  }
}

/// Returns the workspace in bytes for the gradients of this number of rows, followed by one row of logits.
std::size_t bytes_for(const LinearCrossEntropySizes& z, std::int64_t rows_of_gradients) {
  return static_cast<std::size_t>(z.vocabulary) *
         (sizeof(float) + static_cast<std::size_t>(rows_of_gradients) * sizeof(double));
}

SmoothedTarget<double> target_of(const Binding& binding, const LinearCrossEntropySizes& z) {
  return {attributes_of<graph::LinearCrossEntropyOp>(binding).label_smoothing, z.vocabulary};
}

}  // namespace

DDLBENCH_REFERENCE_KERNEL(linear_cross_entropy) {
  const auto z = sizes_of_linear_cross_entropy(binding);
  const auto target = target_of(binding, z);
  return make_kernel(binding, bytes_for(z, 0), [=, accumulate = binding.accumulate](const Arguments& a) {
    metrics_of(a, z, target, static_cast<float*>(a.workspace)).write_to(a, accumulate);
  });
}

DDLBENCH_REFERENCE_KERNEL(linear_cross_entropy_and_gradients) {
  const auto z = sizes_of_linear_cross_entropy(binding);
  const auto target = target_of(binding, z);
  const std::array<bool, 5> adds{binding.adds_to(0), binding.adds_to(1), binding.adds_to(2), binding.adds_to(3),
                                 binding.adds_to(4)};
  expect(binding, adds[0] == adds[1] && adds[0] == adds[2], "either all metrics accumulate or none");
  return make_kernel(binding, bytes_for(z, z.n), [=](const Arguments& a) {
    const double* gradients = gradients_of_all(a, z, target);
    auto* logits = reinterpret_cast<float*>(static_cast<double*>(a.workspace) + z.n * z.vocabulary);
    metrics_of(a, z, target, logits).write_to(a, adds[0]);
    write_dx(a, z, gradients, output(a, 3), adds[3]);
    write_dw(a, z, gradients, output(a, 4), adds[4]);
  });
}

}  // namespace ddlbench::kernels::reference
