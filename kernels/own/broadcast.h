#pragma once

#include "graph/ops/activation.h"
#include "kernels/flat_sizes.h"
#include "kernels/functors.h"
#include "kernels/own/bind.h"
#include "kernels/own/divider.h"
#include "kernels/transformer_sizes.h"

namespace ddlbench::kernels::own {

/// Walks the middle dimension of [outer, size, inner]: where element i lies, then step by step.
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

/// f(x + b), b along the middle dimension.
template <class T, int width>
struct BiasActivationBody {
  graph::Activation f;
  Divider middle, inner;
  const T* x;
  const T* b;
  T* y;
  std::int64_t size;
  bool accumulate;

  template <class Team>
  DDLBENCH_DEVICE void operator()(Team& team) const {
    each_pack<width>(team, size, [&](auto n, std::int64_t i) {
      auto values = load<n>(x + i);
      Walk walk(middle, inner, i);
      for (int k = 0; k < n; ++k, walk.step()) values.of[k] = activate(f, values.of[k] + to_f32(b[walk.middle()]));
      store<n>(y + i, values, accumulate);
    });
  }
};

template <class Launcher>
std::unique_ptr<Kernel> bind_bias_activation(const Binding& binding, const Launcher& launcher) {
  const auto f = attributes_of<graph::BiasActivation>(binding).activation;
  const auto z = sizes_of_bias_activation(binding, Storage::any_float);
  const Divider middle = divider_of(z.size), inner = divider_of(z.inner);
  return with_storage(binding.inputs[0].dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return make_kernel(flops_of(binding), [=, accumulate = binding.accumulate](const Arguments& a) {
      const T* x = input_of<T>(a, 0);
      T* y = output_of<T>(a, 0);
      with_width<T>(aligned({x, y}), [&](auto width) {
        const BiasActivationBody<T, decltype(width)::value> body{f, middle,       inner,     x, input_of<T>(a, 1),
                                                                 y, z.elements(), accumulate};
        launcher.items("bias_activation", items_of(z.elements(), width), body);
      });
    });
  });
}

/// x + p, p again and again. Samples are whole vectors, or the width is 1.
template <class T, int width>
struct AddPositionsBody {
  Divider sample;
  const T* x;
  const T* p;
  T* y;
  std::int64_t size;
  bool accumulate;

  template <class Team>
  DDLBENCH_DEVICE void operator()(Team& team) const {
    each_index(team, size / width, [&](std::int64_t item) {
      const std::int64_t i = item * width;
      auto values = load<width>(x + i);
      const auto positions = load<width>(p + sample.remainder(i));
      for (int k = 0; k < width; ++k) values.of[k] += positions.of[k];
      store<width>(y + i, values, accumulate);
    });
  }
};

template <class Launcher>
std::unique_ptr<Kernel> bind_add_positions(const Binding& binding, const Launcher& launcher) {
  const auto z = sizes_of_add_positions(binding, Storage::any_float);
  const Divider sample = divider_of(z.elements);
  return with_storage(binding.inputs[0].dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return make_kernel(flops_of(binding), [=, accumulate = binding.accumulate](const Arguments& a) {
      const T *x = input_of<T>(a, 0), *p = input_of<T>(a, 1);
      T* y = output_of<T>(a, 0);
      const std::int64_t size = z.samples * z.elements;
      with_width<T>(z.elements % vector_width<T> == 0 && aligned({x, p, y}), [&](auto width) {
        const AddPositionsBody<T, decltype(width)::value> body{sample, x, p, y, size, accumulate};
        launcher.items("add_positions", size / width, body);
      });
    });
  });
}

}  // namespace ddlbench::kernels::own
