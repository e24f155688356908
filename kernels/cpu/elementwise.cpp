#include "graph/ops/gelu.h"

#include "kernels/binding.h"
#include "kernels/cpu/loops.h"
#include "kernels/cpu/ops.h"
#include "kernels/cpu/parallel.h"
#include "kernels/functors.h"
#include "kernels/operands.h"

namespace ddlbench::kernels::cpu {
namespace {

/// y[i] = value(i), or added to what is there.
template <class Value>
void write_each(float* y, std::int64_t begin, std::int64_t end, bool accumulate, const Value& value) {
  if (accumulate) {
    DDLBENCH_INDEPENDENT
    for (std::int64_t i = begin; i < end; ++i) y[i] += value(i);
  } else {
    DDLBENCH_INDEPENDENT
    for (std::int64_t i = begin; i < end; ++i) y[i] = value(i);
  }
}

/// One row of x plus one bias for all of it, or one for each element.
template <class Bias>
void bias_row(graph::Activation f, const float* x, float* y, std::int64_t size, bool accumulate, const Bias& bias) {
  write_each(y, 0, size, accumulate, [=](std::int64_t i) { return activate(f, x[i] + bias(i)); });
}

/// Calls body with the form as a constant: a choice inside a loop would stop its vectorisation.
template <class Body>
void with_form(graph::GeluForm form, const Body& body) {
  using graph::GeluForm;
  if (form == GeluForm::tanh) {
    body(std::integral_constant<GeluForm, GeluForm::tanh>{});
  } else {
    body(std::integral_constant<GeluForm, GeluForm::exact>{});
  }
}

}  // namespace

void add_activation_backward(KernelTable& table, const Context& context) {
  table.add(
      "activation_backward",
      [&context](const Binding& binding) {
        const auto f = attributes_of<graph::ActivationBackward>(binding).activation;
        const auto size = size_of_elementwise(binding, 2);
        const auto launch = [=, threads = context.threads, accumulate = binding.accumulate](const Arguments& a) {
          const float *dy = input(a, 0), *y = input(a, 1);
          float* dz = output(a, 0);
          parallel_for(threads, size, size, [=](std::int64_t begin, std::int64_t end) {
            write_each(dz, begin, end, accumulate, [=](std::int64_t i) { return activation_gradient(f, dy[i], y[i]); });
          });
        };
        return make_kernel(flops_of(binding), launch);
      },
      Channels::in_blocks);
}

void add_bias_activation(KernelTable& table, const Context& context) {
  table.add("bias_activation", [&context](const Binding& binding) {
    const auto f = attributes_of<graph::BiasActivation>(binding).activation;
    const auto z = sizes_of_bias_activation(binding);
    const auto launch = [=, threads = context.threads, accumulate = binding.accumulate](const Arguments& a) {
      const float *x = input(a, 0), *b = input(a, 1);
      float* y = output(a, 0);
      parallel_for(threads, z.outer, z.elements(), [=](std::int64_t begin, std::int64_t end) {
        for (std::int64_t o = begin; o < end; ++o) {
          const std::int64_t start = o * z.size * z.inner;
          if (z.inner == 1) {
            bias_row(f, x + start, y + start, z.size, accumulate, [=](std::int64_t i) { return b[i]; });
            continue;
          }
          for (std::int64_t d = 0; d < z.size; ++d) {
            const std::int64_t row = start + d * z.inner;
            bias_row(f, x + row, y + row, z.inner, accumulate, [bias = b[d]](std::int64_t) { return bias; });
          }
        }
      });
    };
    return make_kernel(flops_of(binding), launch);
  });
}

void add_bias_backward(KernelTable& table, const Context& context) {
  table.add("bias_backward", Storage::any_float, [&context](const Binding& binding) {
    const auto z = sizes_of_bias_backward(binding, Storage::any_float);
    const auto launch = [=, threads = context.threads, dtype = binding.inputs[0].dtype,
                         accumulate = binding.accumulate](const Arguments& a) {
      sum_around(threads, z, dtype, a.inputs[0], a.outputs[0], accumulate);
    };
    return make_kernel(flops_of(binding), launch);
  });
}

void add_gelu(KernelTable& table, const Context& context) {
  table.add("gelu", [&context](const Binding& binding) {
    const auto form = attributes_of<graph::Gelu>(binding).form;
    const auto size = size_of_elementwise(binding, 1);
    const auto launch = [=, threads = context.threads, accumulate = binding.accumulate](const Arguments& a) {
      const float* x = input(a, 0);
      float* y = output(a, 0);
      parallel_for(threads, size, size * cost_of_exponential, [=](std::int64_t begin, std::int64_t end) {
        with_form(form, [=](auto constant) {
          write_each(y, begin, end, accumulate,
                     [=](std::int64_t i) { return GeluPoint<float>(constant(), x[i]).value(); });
        });
      });
    };
    return make_kernel(flops_of(binding), launch);
  });
}

void add_gelu_backward(KernelTable& table, const Context& context) {
  table.add("gelu_backward", [&context](const Binding& binding) {
    const auto form = attributes_of<graph::GeluBackward>(binding).form;
    const auto size = size_of_elementwise(binding, 2);
    const auto launch = [=, threads = context.threads, accumulate = binding.accumulate](const Arguments& a) {
      const float *dy = input(a, 0), *x = input(a, 1);
      float* dx = output(a, 0);
      parallel_for(threads, size, size * cost_of_exponential, [=](std::int64_t begin, std::int64_t end) {
        with_form(form, [=](auto constant) {
          write_each(dx, begin, end, accumulate,
                     [=](std::int64_t i) { return dy[i] * GeluPoint<float>(constant(), x[i]).derivative(); });
        });
      });
    };
    return make_kernel(flops_of(binding), launch);
  });
}

void add_add(KernelTable& table, const Context& context) {
  table.add(
      "add",
      [&context](const Binding& binding) {
        const auto size = size_of_elementwise(binding, 2);
        const auto launch = [=, threads = context.threads, accumulate = binding.accumulate](const Arguments& a) {
          const float *x = input(a, 0), *y = input(a, 1);
          float* sum = output(a, 0);
          parallel_for(threads, size, size, [=](std::int64_t begin, std::int64_t end) {
            write_each(sum, begin, end, accumulate, [=](std::int64_t i) { return x[i] + y[i]; });
          });
        };
        return make_kernel(flops_of(binding), launch);
      },
      Channels::in_blocks);
}

}  // namespace ddlbench::kernels::cpu
