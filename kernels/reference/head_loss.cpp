#include "graph/ops/loss.h"
#include "kernels/flat_sizes.h"
#include "kernels/labels.h"
#include "kernels/reference/ops.h"
#include "kernels/reference/softmax_rows.h"

namespace ddlbench::kernels::reference {
namespace {

void logits_of(const Arguments& a, const HeadSizes& z, std::int64_t n, float* logits) {
  for (std::int64_t v = 0; v < z.vocabulary; ++v) {
    double sum = 0;
    for (std::int64_t h = 0; h < z.hidden; ++h)
      sum += double{input(a, 0)[n * z.hidden + h]} * input(a, 1)[v * z.hidden + h];
    logits[v] = static_cast<float>(sum);
  }
}

/// The gradients of row n's logits, into `gradients`; `logits` is room for the row.
void gradients_of(const Arguments& a, const HeadSizes& z, const SmoothedTarget<double>& target, std::int64_t n,
                  float* logits, double* gradients) {
  const auto* labels = input_of<std::int32_t>(a, 2);
  const bool counts = is_sample(labels, n, z.vocabulary);
  const double scale = counts ? double{a.scalars->inverse_count} * a.scalars->scaler.scale : 0;
  logits_of(a, z, n, logits);
  const auto softmax = softmax_of(logits, z.vocabulary);
  for (std::int64_t v = 0; v < z.vocabulary; ++v)
    gradients[v] = scale * target.gradient(softmax, logits[v], labels[n] == v);
}

std::size_t bytes_of_row(const HeadSizes& z) {
  return static_cast<std::size_t>(z.vocabulary) * (sizeof(double) + sizeof(float));
}

template <class Op>
SmoothedTarget<double> target_of(const Binding& binding, const HeadSizes& z) {
  return {attributes_of<Op>(binding).label_smoothing, z.vocabulary};
}

}  // namespace

void add_head_loss(KernelTable& table) {
  table.add("head_loss", [](const Binding& binding) {
    const auto z = sizes_of_head_loss(binding);
    const auto target = target_of<graph::HeadLoss>(binding, z);
    const auto launch = [=, accumulate = binding.accumulate](const Arguments& a) {
      const auto* labels = input_of<std::int32_t>(a, 2);
      auto* logits = static_cast<float*>(a.workspace);
      Metrics metrics;
      for (std::int64_t n = 0; n < z.n; ++n) {
        if (!is_sample(labels, n, z.vocabulary)) continue;
        logits_of(a, z, n, logits);
        metrics.add_cross_entropy(target, logits, z.vocabulary, labels[n]);
      }
      metrics.write_to(a, accumulate);
    };
    return make_kernel(flops_of(binding), launch, bytes_of_row(z));
  });
}

void add_head_loss_backward_input(KernelTable& table) {
  table.add("head_loss_backward_input", [](const Binding& binding) {
    const auto z = sizes_of_head_loss(binding);
    const auto target = target_of<graph::HeadLossBackwardInput>(binding, z);
    const auto launch = [=, accumulate = binding.accumulate](const Arguments& a) {
      auto* gradients = static_cast<double*>(a.workspace);
      for (std::int64_t n = 0; n < z.n; ++n) {
        gradients_of(a, z, target, n, reinterpret_cast<float*>(gradients + z.vocabulary), gradients);
        for (std::int64_t h = 0; h < z.hidden; ++h) {
          double sum = 0;
          for (std::int64_t v = 0; v < z.vocabulary; ++v) sum += gradients[v] * input(a, 1)[v * z.hidden + h];
          write(output(a, 0)[n * z.hidden + h], sum, accumulate);
        }
      }
    };
    return make_kernel(flops_of(binding), launch, bytes_of_row(z));
  });
}

void add_head_loss_backward_weight(KernelTable& table) {
  table.add("head_loss_backward_weight", [](const Binding& binding) {
    const auto z = sizes_of_head_loss(binding);
    const auto target = target_of<graph::HeadLossBackwardWeight>(binding, z);
    const auto launch = [=, accumulate = binding.accumulate](const Arguments& a) {
      auto* gradients = static_cast<double*>(a.workspace);  // [n, vocabulary], and behind them a row of logits
      auto* logits = reinterpret_cast<float*>(gradients + z.n * z.vocabulary);
      for (std::int64_t n = 0; n < z.n; ++n) gradients_of(a, z, target, n, logits, gradients + n * z.vocabulary);
      for (std::int64_t v = 0; v < z.vocabulary; ++v) {
        for (std::int64_t h = 0; h < z.hidden; ++h) {
          double sum = 0;
          for (std::int64_t n = 0; n < z.n; ++n) sum += gradients[n * z.vocabulary + v] * input(a, 0)[n * z.hidden + h];
          write(output(a, 0)[v * z.hidden + h], sum, accumulate);
        }
      }
    };
    const auto rows = static_cast<std::size_t>(z.n * z.vocabulary) * sizeof(double);
    return make_kernel(flops_of(binding), launch, rows + bytes_of_row(z));
  });
}

}  // namespace ddlbench::kernels::reference
