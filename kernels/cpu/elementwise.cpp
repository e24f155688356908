#include "graph/ops/gelu.h"
#include "graph/ops/weighted_sum.h"

#include <array>

#include "kernels/binding.h"
#include "kernels/cpu/loops.h"
#include "kernels/cpu/ops.h"
#include "kernels/cpu/parallel.h"
#include "kernels/functors/elementwise.h"
#include "kernels/operands.h"
#include "kernels/own/bind.h"

namespace ddlbench::kernels::cpu {
namespace {

using own::to_f32;

/// Writes y[i] = value(i) for i in [begin, end), or adds it to y[i] if `accumulate`.
template <class T, class Value>
void write_each(T* y, std::int64_t begin, std::int64_t end, bool accumulate, const Value& value) {
  with_flag(accumulate, [=](auto adds) {
    DDLBENCH_INDEPENDENT
    for (std::int64_t i = begin; i < end; ++i) own::store_one(y + i, value(i), adds());
  });
}

/// Makes a kernel whose operands all have the same type. `value_of(inputs, write)` must call `write(value)`, where
/// value(i) returns element i of the output. `cost` is the work per element, in plain elements.
template <std::size_t inputs, class ValueOf>
std::unique_ptr<Kernel> elementwise(const Context& context, const Binding& binding, std::int64_t cost,
                                    const ValueOf& value_of) {
  const auto size = size_of_elementwise(binding, inputs, Storage::any_float);
  return own::with_storage(binding.outputs[0].dtype, [&]<class T>(own::StorageTag<T>) {
    return make_kernel(binding, [=, threads = context.threads, accumulate = binding.accumulate](const Arguments& a) {
      std::array<const T*, inputs> from;
      for (std::size_t k = 0; k < inputs; ++k) from[k] = input_of<T>(a, static_cast<int>(k));
      T* to = output_of<T>(a, 0);
      value_of(from, [=](const auto& value) {
        parallel_for(threads, size, size * cost,
                     [=](std::int64_t begin, std::int64_t end) { write_each(to, begin, end, accumulate, value); });
      });
    });
  });
}

/// Adds bias(i) to element i of one row of x and applies the activation. The bias may be the same for the whole row.
template <class T, class Bias>
void bias_row(graph::Activation f, const T* x, T* y, std::int64_t size, bool accumulate, const Bias& bias) {
  write_each(y, 0, size, accumulate, [=](std::int64_t i) { return activate(f, to_f32(x[i]) + bias(i)); });
}

/// Calls body with the form as a compile-time constant: a condition inside a loop would prevent its vectorisation.
void with_form(graph::GeluForm form, const auto& body) {
  using graph::GeluForm;
  if (form == GeluForm::tanh) {
    body(std::integral_constant<GeluForm, GeluForm::tanh>{});
  } else {
    body(std::integral_constant<GeluForm, GeluForm::exact>{});
  }
}

}  // namespace

DDLBENCH_CPU_KERNEL(activation_backward, Storage::any_float, Channels::in_blocks) {
  const auto f = attributes_of<graph::ActivationBackward>(binding).activation;
  return elementwise<2>(context, binding, 1, [f](const auto& from, const auto& write) {
    write(
        [f, dy = from[0], y = from[1]](std::int64_t i) { return activation_gradient(f, to_f32(dy[i]), to_f32(y[i])); });
  });
}

DDLBENCH_CPU_KERNEL(bias_activation, Storage::any_float) {
  const auto& op = attributes_of<graph::BiasActivation>(binding);
  const auto z = sizes_of_bias_activation(binding, Storage::any_float);
  const auto f = op.activation;
  if (!op.bias) {
    return elementwise<1>(context, binding, 1, [f](const auto& from, const auto& write) {
      write([f, x = from[0]](std::int64_t i) { return activate(f, to_f32(x[i])); });
    });
  }
  return own::with_storage(binding.outputs[0].dtype, [&]<class T>(own::StorageTag<T>) {
    return make_kernel(binding, [=, threads = context.threads, accumulate = binding.accumulate](const Arguments& a) {
      const T *x = input_of<T>(a, 0), *b = input_of<T>(a, 1);
      T* y = output_of<T>(a, 0);
      parallel_for(threads, z.outer, z.elements(), [=](std::int64_t begin, std::int64_t end) {
        for (std::int64_t o = begin; o < end; ++o) {
          const std::int64_t start = o * z.size * z.inner;
          if (z.inner == 1) {
            bias_row(f, x + start, y + start, z.size, accumulate, [=](std::int64_t i) { return to_f32(b[i]); });
            continue;
          }
          for (std::int64_t d = 0; d < z.size; ++d) {
            const std::int64_t row = start + d * z.inner;
            bias_row(f, x + row, y + row, z.inner, accumulate, [bias = to_f32(b[d])](std::int64_t) { return bias; });
          }
        }
      });
    });
  });
}

DDLBENCH_CPU_KERNEL(bias_backward, Storage::any_float) {
  const auto z = sizes_of_bias_backward(binding, Storage::any_float);
  return make_kernel(binding,
                     [=, threads = context.threads, dtype = binding.inputs[0].dtype, accumulate = binding.accumulate](
                         const Arguments& a) { sum_around(threads, z, dtype, a.inputs[0], a.outputs[0], accumulate); });
}

DDLBENCH_CPU_KERNEL(gelu, Storage::any_float) {
  const auto form = attributes_of<graph::Gelu>(binding).form;
  return elementwise<1>(context, binding, cost_of_exponential, [form](const auto& from, const auto& write) {
    with_form(form, [x = from[0], &write](auto constant) {
      write([=](std::int64_t i) { return GeluPoint<float>(constant(), to_f32(x[i])).value(); });
    });
  });
}

DDLBENCH_CPU_KERNEL(gelu_backward, Storage::any_float) {
  const auto form = attributes_of<graph::GeluBackward>(binding).form;
  return elementwise<2>(context, binding, cost_of_exponential, [form](const auto& from, const auto& write) {
    with_form(form, [dy = from[0], x = from[1], &write](auto constant) {
      write([=](std::int64_t i) { return to_f32(dy[i]) * GeluPoint<float>(constant(), to_f32(x[i])).derivative(); });
    });
  });
}

DDLBENCH_CPU_KERNEL(add, Storage::any_float, Channels::in_blocks) {
  return elementwise<2>(context, binding, 1, [](const auto& from, const auto& write) {
    write([x = from[0], y = from[1]](std::int64_t i) { return to_f32(x[i]) + to_f32(y[i]); });
  });
}

DDLBENCH_CPU_KERNEL(weighted_sum, Storage::any_float) {
  const auto& weights = attributes_of<graph::WeightedSum>(binding).weights;
  const auto p = static_cast<float>(weights.front()), q = static_cast<float>(weights.back());
  if (weights.size() == 1) {
    return elementwise<1>(context, binding, 1, [p](const auto& from, const auto& write) {
      write([p, x = from[0]](std::int64_t i) { return p * to_f32(x[i]); });
    });
  }
  return elementwise<2>(context, binding, 1, [p, q](const auto& from, const auto& write) {
    write([p, q, x = from[0], y = from[1]](std::int64_t i) { return p * to_f32(x[i]) + q * to_f32(y[i]); });
  });
}

DDLBENCH_CPU_KERNEL(keep_where, Storage::any_float) {
  return elementwise<2>(context, binding, 1, [](const auto& from, const auto& write) {
    write([x = from[0], mask = from[1]](std::int64_t i) { return to_f32(mask[i]) == 0 ? 0.0F : to_f32(x[i]); });
  });
}

}  // namespace ddlbench::kernels::cpu
