#include "graph/ops/linear.h"

#include "kernels/binding.h"
#include "kernels/functors/elementwise.h"
#include "kernels/operands.h"
#include "kernels/reference/ops.h"
#include "kernels/sizes/layers.h"

namespace ddlbench::kernels::reference {

DDLBENCH_REFERENCE_KERNEL(linear) {
  const auto z = sizes_of_linear(binding);
  const auto& op = attributes_of<graph::Linear>(binding);
  const bool accumulate = binding.accumulate;
  return make_kernel(binding, [z, bias = op.bias, f = op.activation, accumulate](const Arguments& a) {
    const float *x = input(a, 0), *w = input(a, 1), *b = bias ? input(a, 2) : nullptr;
    for (std::int64_t n = 0; n < z.n; ++n) {
      for (std::int64_t o = 0; o < z.out; ++o) {
        double sum = bias ? b[o] : 0;
        for (std::int64_t i = 0; i < z.in; ++i) sum += double{x[n * z.in + i]} * w[o * z.in + i];
        write(output(a, 0)[n * z.out + o], activate(f, sum), accumulate);
      }
    }
  });
}

DDLBENCH_REFERENCE_KERNEL(linear_backward_input) {
  const auto z = sizes_of_linear_backward_input(binding);
  return make_kernel(binding, [z, accumulate = binding.accumulate](const Arguments& a) {
    const float *dz = input(a, 0), *w = input(a, 1);
    for (std::int64_t n = 0; n < z.n; ++n) {
      for (std::int64_t i = 0; i < z.in; ++i) {
        double sum = 0;
        for (std::int64_t o = 0; o < z.out; ++o) sum += double{dz[n * z.out + o]} * w[o * z.in + i];
        write(output(a, 0)[n * z.in + i], sum, accumulate);
      }
    }
  });
}

DDLBENCH_REFERENCE_KERNEL(linear_backward_weight) {
  const auto z = sizes_of_linear_backward_weight(binding);
  const bool bias = attributes_of<graph::LinearBackwardWeight>(binding).bias;
  return make_kernel(binding, [z, bias, accumulate = binding.accumulate](const Arguments& a) {
    const float *x = input(a, 0), *dz = input(a, 1);
    for (std::int64_t o = 0; o < z.out; ++o) {
      for (std::int64_t i = 0; i < z.in; ++i) {
        double sum = 0;
        for (std::int64_t n = 0; n < z.n; ++n) sum += double{dz[n * z.out + o]} * x[n * z.in + i];
        write(output(a, 0)[o * z.in + i], sum, accumulate);
      }
      if (!bias) continue;
      double sum = 0;
      for (std::int64_t n = 0; n < z.n; ++n) sum += dz[n * z.out + o];
      write(output(a, 1)[o], sum, accumulate);
    }
  });
}

}  // namespace ddlbench::kernels::reference
