#include "graph/ops/gelu.h"

#include "kernels/binding.h"
#include "kernels/flat_sizes.h"
#include "kernels/functors.h"
#include "kernels/operands.h"
#include "kernels/reference/ops.h"
#include "kernels/reference/sums.h"

namespace ddlbench::kernels::reference {

void add_activation_backward(KernelTable& table) {
  table.add(
      "activation_backward",
      [](const Binding& binding) {
        const auto f = attributes_of<graph::ActivationBackward>(binding).activation;
        const auto size = size_of_elementwise(binding, 2);
        return make_kernel(flops_of(binding), [=, accumulate = binding.accumulate](const Arguments& a) {
          for (std::int64_t i = 0; i < size; ++i) {
            write(output(a, 0)[i], activation_gradient(f, double{input(a, 0)[i]}, double{input(a, 1)[i]}), accumulate);
          }
        });
      },
      Channels::in_blocks);
}

void add_bias_activation(KernelTable& table) {
  table.add("bias_activation", [](const Binding& binding) {
    const auto& op = attributes_of<graph::BiasActivation>(binding);
    const auto z = sizes_of_bias_activation(binding);
    const auto f = op.activation;
    const bool has_bias = op.bias;
    return make_kernel(flops_of(binding), [=, accumulate = binding.accumulate](const Arguments& a) {
      for (std::int64_t i = 0; i < z.outer * z.size * z.inner; ++i) {
        const double bias = has_bias ? input(a, 1)[i / z.inner % z.size] : 0.0;
        write(output(a, 0)[i], activate(f, input(a, 0)[i] + bias), accumulate);
      }
    });
  });
}

void add_bias_backward(KernelTable& table) {
  table.add("bias_backward", [](const Binding& binding) {
    const auto z = sizes_of_bias_backward(binding);
    return make_kernel(
        flops_of(binding),
        [=, accumulate = binding.accumulate](const Arguments& a) {
          const auto db = sums(a, z.size);
          for (std::int64_t i = 0; i < z.outer * z.size * z.inner; ++i) {
            db[static_cast<std::size_t>(i / z.inner % z.size)] += input(a, 0)[i];
          }
          write_all(output(a, 0), db, accumulate);
        },
        sums_bytes(z.size));
  });
}

void add_gelu(KernelTable& table) {
  table.add("gelu", [](const Binding& binding) {
    const auto form = attributes_of<graph::Gelu>(binding).form;
    const auto size = size_of_elementwise(binding, 1);
    return make_kernel(flops_of(binding), [=, accumulate = binding.accumulate](const Arguments& a) {
      for (std::int64_t i = 0; i < size; ++i) {
        write(output(a, 0)[i], GeluPoint<double>(form, input(a, 0)[i]).value(), accumulate);
      }
    });
  });
}

void add_gelu_backward(KernelTable& table) {
  table.add("gelu_backward", [](const Binding& binding) {
    const auto form = attributes_of<graph::GeluBackward>(binding).form;
    const auto size = size_of_elementwise(binding, 2);
    return make_kernel(flops_of(binding), [=, accumulate = binding.accumulate](const Arguments& a) {
      for (std::int64_t i = 0; i < size; ++i) {
        const GeluPoint<double> point(form, input(a, 1)[i]);
        write(output(a, 0)[i], input(a, 0)[i] * point.derivative(), accumulate);
      }
    });
  });
}

void add_add(KernelTable& table) {
  table.add(
      "add",
      [](const Binding& binding) {
        const auto size = size_of_elementwise(binding, 2);
        return make_kernel(flops_of(binding), [=, accumulate = binding.accumulate](const Arguments& a) {
          for (std::int64_t i = 0; i < size; ++i) {
            write(output(a, 0)[i], double{input(a, 0)[i]} + input(a, 1)[i], accumulate);
          }
        });
      },
      Channels::in_blocks);
}

}  // namespace ddlbench::kernels::reference
