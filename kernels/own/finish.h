#pragma once

#include "graph/ops/activation.h"
#include "kernels/functors/elementwise.h"
#include "kernels/own/bind.h"
#include "kernels/own/divider.h"
#include "kernels/sizes/flat.h"

/// Adds a bias and applies an activation, either as an op of its own or to complete an op whose sums a library has
/// computed.
namespace ddlbench::kernels::own {

/// An index in the middle dimension of [outer, size, inner]: first that of element i, then advanced element by element.
class Walk {
 public:
  DDLBENCH_DEVICE Walk(const Divider& size, const Divider& inner, std::int64_t i)
      : size_(size.divisor()), inner_(inner.divisor()) {
    const std::int64_t run = inner.quotient(i);
    within_ = i - run * inner_;
    middle_ = size.remainder(run);
  }
  DDLBENCH_DEVICE std::int64_t middle() const { return middle_; }
  DDLBENCH_DEVICE void step() {
    if (++within_ < inner_) return;
    within_ = 0;
    if (++middle_ == size_) middle_ = 0;
  }

 private:
  std::int64_t size_, inner_, middle_, within_;
};

struct Finish {
  AroundDimension around;  ///< shape of the output around the bias dimension
  graph::DType dtype = graph::DType::f32;
  graph::Activation activation = graph::Activation::none;
  bool accumulate = false;
};

/// y = f(x + b), or y += f(x + b) if `accumulate`. If x or b is null, it counts as 0. x may be y.
template <class T, int width>
struct FinishBody {
  graph::Activation f;
  Divider middle, inner;
  const T* x;
  const T* b;
  T* y;
  std::int64_t size;
  bool accumulate;

  DDLBENCH_DEVICE void operator()(auto& team) const {
    each_pack<width>(team, size, [&](auto n, std::int64_t i) {
      Floats<n> values{};
      if (x != nullptr) values = load<n>(x + i);
      Walk walk(middle, inner, i);
      for (int k = 0; k < n; ++k, walk.step())
        values.of[k] = activate(f, b == nullptr ? values.of[k] : values.of[k] + to_f32(b[walk.middle()]));
      store<n>(y + i, values, accumulate);
    });
  }
};

void launch_finish(const auto& launcher, const Finish& finish, const void* sums, const void* bias, void* output,
                   const char* name = "finish") {
  const AroundDimension& z = finish.around;
  const Divider middle = divider_of(z.size), inner = divider_of(z.inner);
  with_storage(finish.dtype, [&]<class T>(StorageTag<T>) {
    const auto *x = static_cast<const T*>(sums), *b = static_cast<const T*>(bias);
    auto* y = static_cast<T*>(output);
    with_width<T>(aligned({x, y}), [&](auto width) {
      const FinishBody<T, decltype(width)::value> body{finish.activation, middle,           inner, x, b, y,
                                                       z.elements(),      finish.accumulate};
      launcher.items(name, items_of(z.elements(), width), body);
    });
  });
}

std::unique_ptr<Kernel> bind_bias_activation(const Binding& binding, const auto& launcher) {
  const Finish finish{sizes_of_bias_activation(binding, Storage::any_float), binding.inputs[0].dtype,
                      attributes_of<graph::BiasActivation>(binding).activation, binding.accumulate};
  return make_kernel(binding, [=, has_bias = binding.inputs.size() > 1](const Arguments& a) {
    const void* bias = has_bias ? a.inputs[1] : nullptr;
    launch_finish(launcher, finish, a.inputs[0], bias, a.outputs[0], "bias_activation");
  });
}

}  // namespace ddlbench::kernels::own
