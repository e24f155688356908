#include "graph/ops/loss.h"

#include "kernels/cpu/ops.h"
#include "kernels/cpu/parallel.h"
#include "kernels/flat_sizes.h"
#include "kernels/functors.h"
#include "kernels/labels.h"
#include "kernels/operands.h"

namespace ddlbench::kernels::cpu {
namespace {

void check_labels(const std::int32_t* labels, const ClassSizes& z) {
  for (std::int64_t n = 0; n < z.n; ++n) is_sample(labels, n, z.classes);
}

/// Rows are computed on all threads, and summed on one, in their order.
class CrossEntropyKernel final : public Kernel {
 public:
  CrossEntropyKernel(int threads, const Binding& binding)
      : threads_(threads),
        accumulate_(binding.accumulate),
        z_(sizes_of_cross_entropy(binding)),
        flops_(flops_of(binding)) {}

  void launch(const Arguments& a) override {
    const float* logits = input(a, 0);
    const auto* labels = input_of<std::int32_t>(a, 1);
    auto* rows = static_cast<Row*>(a.workspace);
    check_labels(labels, z_);
    parallel_for(threads_, z_.n, z_.n * z_.classes * cost_of_exponential, [=, this](auto begin, auto end) {
      for (std::int64_t n = begin; n < end; ++n) rows[n] = row(logits + n * z_.classes, labels[n]);
    });
    double loss = 0, correct = 0;
    for (std::int64_t n = 0; n < z_.n; ++n) loss += rows[n].loss, correct += rows[n].correct;
    write(output(a, 0)[0], loss * a.scalars->inverse_count, accumulate_);
    write(output(a, 1)[0], correct, accumulate_);
  }
  std::size_t workspace_bytes() const override { return static_cast<std::size_t>(z_.n) * sizeof(Row); }
  double flops() const override { return flops_; }

 private:
  struct Row {
    float loss = 0;
    float correct = 0;
  };

  Row row(const float* logits, std::int32_t label) const {
    if (label < 0) return {};
    const SoftmaxRow<float> softmax(logits, z_.classes);
    return {softmax.loss(logits[label]), softmax.largest == label ? 1.0f : 0.0f};
  }

  int threads_;
  bool accumulate_;
  ClassSizes z_;
  double flops_;
};

void gradient_row(const float* logits, std::int32_t label, std::int64_t classes, float scale, bool accumulate,
                  float* gradient) {
  if (label < 0) {
    if (!accumulate) std::fill(gradient, gradient + classes, 0.0f);
    return;
  }
  const SoftmaxRow<float> softmax(logits, classes);
  for (std::int64_t c = 0; c < classes; ++c) {
    const float value = (softmax.probability(logits[c]) - (c == label ? 1.0f : 0.0f)) * scale;
    gradient[c] = accumulate ? gradient[c] + value : value;
  }
}

}  // namespace

void add_cross_entropy(KernelTable& table, const Context& context) {
  table.add("cross_entropy", [&context](const Binding& binding) {
    return std::make_unique<CrossEntropyKernel>(context.threads, binding);
  });
}

void add_cross_entropy_backward(KernelTable& table, const Context& context) {
  table.add("cross_entropy_backward", [&context](const Binding& binding) {
    const auto z = sizes_of_cross_entropy_backward(binding);
    const auto launch = [=, threads = context.threads, accumulate = binding.accumulate](const Arguments& a) {
      const auto* labels = input_of<std::int32_t>(a, 1);
      check_labels(labels, z);
      const float scale = a.scalars->inverse_count * a.scalars->loss_scale;
      parallel_for(threads, z.n, z.n * z.classes * cost_of_exponential, [&](auto begin, auto end) {
        for (std::int64_t n = begin; n < end; ++n) {
          const std::int64_t row = n * z.classes;
          gradient_row(input(a, 0) + row, labels[n], z.classes, scale, accumulate, output(a, 0) + row);
        }
      });
    };
    return make_kernel(flops_of(binding), launch);
  });
}

}  // namespace ddlbench::kernels::cpu
