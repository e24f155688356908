#include "graph/ops/gelu.h"
#include "graph/ops/weighted_sum.h"

#include "kernels/binding.h"
#include "kernels/functors/elementwise.h"
#include "kernels/operands.h"
#include "kernels/reference/ops.h"
#include "kernels/reference/sums.h"
#include "kernels/sizes/flat.h"

namespace ddlbench::kernels::reference {

DDLBENCH_REFERENCE_KERNEL(activation_backward, Channels::in_blocks) {
  const auto f = attributes_of<graph::ActivationBackward>(binding).activation;
  const auto size = size_of_elementwise(binding, 2);
  return make_kernel(binding, [=, accumulate = binding.accumulate](const Arguments& a) {
    for (std::int64_t i = 0; i < size; ++i) {
      write(output(a, 0)[i], activation_gradient(f, double{input(a, 0)[i]}, double{input(a, 1)[i]}), accumulate);
    }
  });
}

DDLBENCH_REFERENCE_KERNEL(bias_activation) {
  const auto& op = attributes_of<graph::BiasActivation>(binding);
  const auto z = sizes_of_bias_activation(binding);
  const auto f = op.activation;
  const bool has_bias = op.bias;
  return make_kernel(binding, [=, accumulate = binding.accumulate](const Arguments& a) {
    for (std::int64_t i = 0; i < z.outer * z.size * z.inner; ++i) {
      const double bias = has_bias ? input(a, 1)[i / z.inner % z.size] : 0.0;
      write(output(a, 0)[i], activate(f, input(a, 0)[i] + bias), accumulate);
    }
  });
}

DDLBENCH_REFERENCE_KERNEL(bias_backward) {
  const auto z = sizes_of_bias_backward(binding);
  return make_kernel(binding, sums_bytes(z.size), [=, accumulate = binding.accumulate](const Arguments& a) {
    const auto db = sums(a, z.size);
    for (std::int64_t i = 0; i < z.outer * z.size * z.inner; ++i) {
      db[static_cast<std::size_t>(i / z.inner % z.size)] += input(a, 0)[i];
    }
    write_all(output(a, 0), db, accumulate);
  });
}

DDLBENCH_REFERENCE_KERNEL(gelu) {
  const auto form = attributes_of<graph::Gelu>(binding).form;
  const auto size = size_of_elementwise(binding, 1);
  return make_kernel(binding, [=, accumulate = binding.accumulate](const Arguments& a) {
    for (std::int64_t i = 0; i < size; ++i) {
      write(output(a, 0)[i], GeluPoint<double>(form, input(a, 0)[i]).value(), accumulate);
    }
  });
}

DDLBENCH_REFERENCE_KERNEL(gelu_backward) {
  const auto form = attributes_of<graph::GeluBackward>(binding).form;
  const auto size = size_of_elementwise(binding, 2);
  return make_kernel(binding, [=, accumulate = binding.accumulate](const Arguments& a) {
    for (std::int64_t i = 0; i < size; ++i) {
      const GeluPoint<double> point(form, input(a, 1)[i]);
      write(output(a, 0)[i], input(a, 0)[i] * point.derivative(), accumulate);
    }
  });
}

DDLBENCH_REFERENCE_KERNEL(add, Channels::in_blocks) {
  const auto size = size_of_elementwise(binding, 2);
  return make_kernel(binding, [=, accumulate = binding.accumulate](const Arguments& a) {
    for (std::int64_t i = 0; i < size; ++i) {
      write(output(a, 0)[i], double{input(a, 0)[i]} + input(a, 1)[i], accumulate);
    }
  });
}

DDLBENCH_REFERENCE_KERNEL(weighted_sum) {
  const std::vector<double> weights = attributes_of<graph::WeightedSum>(binding).weights;
  const auto size = size_of_elementwise(binding, weights.size());
  return make_kernel(binding, [=, accumulate = binding.accumulate](const Arguments& a) {
    for (std::int64_t i = 0; i < size; ++i) {
      double sum = 0;
      for (std::size_t k = 0; k < weights.size(); ++k) sum += weights[k] * input(a, static_cast<int>(k))[i];
      write(output(a, 0)[i], sum, accumulate);
    }
  });
}

DDLBENCH_REFERENCE_KERNEL(keep_where) {
  const auto size = size_of_elementwise(binding, 2);
  return make_kernel(binding, [=, accumulate = binding.accumulate](const Arguments& a) {
    for (std::int64_t i = 0; i < size; ++i)
      write(output(a, 0)[i], input(a, 1)[i] == 0 ? 0.0 : double{input(a, 0)[i]}, accumulate);
  });
}

}  // namespace ddlbench::kernels::reference
