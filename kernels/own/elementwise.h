#pragma once

#include "graph/ops/activation.h"
#include "graph/ops/gelu.h"
#include "kernels/flat_sizes.h"
#include "kernels/functors.h"
#include "kernels/own/bind.h"

namespace ddlbench::kernels::own {

struct AddPoint {
  DDLBENCH_DEVICE float operator()(float a, float b) const { return a + b; }
};

struct ActivationBackwardPoint {
  graph::Activation f;
  DDLBENCH_DEVICE float operator()(float dy, float y) const { return activation_gradient(f, dy, y); }
};

struct GeluForward {
  graph::GeluForm form;
  DDLBENCH_DEVICE float operator()(float x) const { return GeluPoint<float>(form, x).value(); }
};

struct GeluGradient {
  graph::GeluForm form;
  DDLBENCH_DEVICE float operator()(float dy, float x) const { return dy * GeluPoint<float>(form, x).derivative(); }
};

template <class T, int width, class Point>
struct UnaryBody {
  Point point;
  const T* x;
  T* y;
  std::int64_t size;
  bool accumulate;

  template <class Team>
  DDLBENCH_DEVICE void operator()(Team& team) const {
    each_pack<width>(team, size, [&](auto n, std::int64_t i) {
      auto values = load<n>(x + i);
      for (int k = 0; k < n; ++k) values.of[k] = point(values.of[k]);
      store<n>(y + i, values, accumulate);
    });
  }
};

template <class T, int width, class Point>
struct BinaryBody {
  Point point;
  const T* a;
  const T* b;
  T* y;
  std::int64_t size;
  bool accumulate;

  template <class Team>
  DDLBENCH_DEVICE void operator()(Team& team) const {
    each_pack<width>(team, size, [&](auto n, std::int64_t i) {
      auto values = load<n>(a + i);
      const auto others = load<n>(b + i);
      for (int k = 0; k < n; ++k) values.of[k] = point(values.of[k], others.of[k]);
      store<n>(y + i, values, accumulate);
    });
  }
};

template <class Point, class Launcher>
std::unique_ptr<Kernel> bind_unary(const Binding& binding, const Launcher& launcher, const char* name, Point point) {
  const auto size = size_of_elementwise(binding, 1, Storage::any_float);
  return with_storage(binding.inputs[0].dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return make_kernel(flops_of(binding), [=, accumulate = binding.accumulate](const Arguments& a) {
      const T* x = input_of<T>(a, 0);
      T* y = output_of<T>(a, 0);
      with_width<T>(aligned({x, y}), [&](auto width) {
        const UnaryBody<T, decltype(width)::value, Point> body{point, x, y, size, accumulate};
        launcher.items(name, items_of(size, width), body);
      });
    });
  });
}

template <class Point, class Launcher>
std::unique_ptr<Kernel> bind_binary(const Binding& binding, const Launcher& launcher, const char* name, Point point) {
  const auto size = size_of_elementwise(binding, 2, Storage::any_float);
  return with_storage(binding.inputs[0].dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return make_kernel(flops_of(binding), [=, accumulate = binding.accumulate](const Arguments& a) {
      const T *first = input_of<T>(a, 0), *second = input_of<T>(a, 1);
      T* y = output_of<T>(a, 0);
      with_width<T>(aligned({first, second, y}), [&](auto width) {
        const BinaryBody<T, decltype(width)::value, Point> body{point, first, second, y, size, accumulate};
        launcher.items(name, items_of(size, width), body);
      });
    });
  });
}

template <class Launcher>
std::unique_ptr<Kernel> bind_add(const Binding& binding, const Launcher& launcher) {
  return bind_binary(binding, launcher, "add", AddPoint{});
}

template <class Launcher>
std::unique_ptr<Kernel> bind_activation_backward(const Binding& binding, const Launcher& launcher) {
  const auto f = attributes_of<graph::ActivationBackward>(binding).activation;
  return bind_binary(binding, launcher, "activation_backward", ActivationBackwardPoint{f});
}

template <class Launcher>
std::unique_ptr<Kernel> bind_gelu(const Binding& binding, const Launcher& launcher) {
  return bind_unary(binding, launcher, "gelu", GeluForward{attributes_of<graph::Gelu>(binding).form});
}

template <class Launcher>
std::unique_ptr<Kernel> bind_gelu_backward(const Binding& binding, const Launcher& launcher) {
  const auto form = attributes_of<graph::GeluBackward>(binding).form;
  return bind_binary(binding, launcher, "gelu_backward", GeluGradient{form});
}

}  // namespace ddlbench::kernels::own
