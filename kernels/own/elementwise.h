#pragma once

#include "graph/ops/activation.h"
#include "graph/ops/gelu.h"
#include "graph/ops/weighted_sum.h"
#include "kernels/functors/elementwise.h"
#include "kernels/own/bind.h"
#include "kernels/sizes/flat.h"

namespace ddlbench::kernels::own {

struct AddPoint {
  DDLBENCH_DEVICE float operator()(float a, float b) const { return a + b; }
};

struct ScalePoint {
  float p;
  DDLBENCH_DEVICE float operator()(float a) const { return p * a; }
};

struct WeightedSumPoint {
  float p, q;
  DDLBENCH_DEVICE float operator()(float a, float b) const { return p * a + q * b; }
};

struct KeepWherePoint {
  DDLBENCH_DEVICE float operator()(float x, float mask) const { return mask == 0 ? 0 : x; }
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

/// y = point(x), or y = point(x, other) with two inputs.
template <class T, int width, int inputs, class Point>
struct ElementwiseBody {
  Point point;
  const T* x[inputs];
  T* y;
  std::int64_t size;
  bool accumulate;

  DDLBENCH_DEVICE void operator()(auto& team) const {
    each_pack<width>(team, size, [&](auto n, std::int64_t i) {
      auto values = load<n>(x[0] + i);
      if constexpr (inputs == 1) {
        for (int k = 0; k < n; ++k) values.of[k] = point(values.of[k]);
      } else {
        const auto others = load<n>(x[1] + i);
        for (int k = 0; k < n; ++k) values.of[k] = point(values.of[k], others.of[k]);
      }
      store<n>(y + i, values, accumulate);
    });
  }
};

template <int inputs, class Point, class Launcher>
std::unique_ptr<Kernel> bind_point(const Binding& binding, const Launcher& launcher, const char* name, Point point) {
  const auto size = size_of_elementwise(binding, inputs, Storage::any_float);
  return with_storage(binding.inputs[0].dtype, [&]<class T>(StorageTag<T>) {
    return make_kernel(binding, [=, accumulate = binding.accumulate](const Arguments& a) {
      const T *x = input_of<T>(a, 0), *other = input_of<T>(a, inputs - 1);
      T* y = output_of<T>(a, 0);
      with_width<T>(aligned({x, other, y}), [&](auto width) {
        ElementwiseBody<T, decltype(width)::value, inputs, Point> body{point, {x}, y, size, accumulate};
        body.x[inputs - 1] = other;
        launcher.items(name, items_of(size, width), body);
      });
    });
  });
}

std::unique_ptr<Kernel> bind_add(const Binding& binding, const auto& launcher) {
  return bind_point<2>(binding, launcher, "add", AddPoint{});
}

std::unique_ptr<Kernel> bind_weighted_sum(const Binding& binding, const auto& launcher) {
  const auto& weights = attributes_of<graph::WeightedSum>(binding).weights;
  const auto p = static_cast<float>(weights.front()), q = static_cast<float>(weights.back());
  if (weights.size() == 1) return bind_point<1>(binding, launcher, "weighted_sum", ScalePoint{p});
  return bind_point<2>(binding, launcher, "weighted_sum", WeightedSumPoint{p, q});
}

std::unique_ptr<Kernel> bind_keep_where(const Binding& binding, const auto& launcher) {
  return bind_point<2>(binding, launcher, "keep_where", KeepWherePoint{});
}

std::unique_ptr<Kernel> bind_activation_backward(const Binding& binding, const auto& launcher) {
  const auto f = attributes_of<graph::ActivationBackward>(binding).activation;
  return bind_point<2>(binding, launcher, "activation_backward", ActivationBackwardPoint{f});
}

std::unique_ptr<Kernel> bind_gelu(const Binding& binding, const auto& launcher) {
  return bind_point<1>(binding, launcher, "gelu", GeluForward{attributes_of<graph::Gelu>(binding).form});
}

std::unique_ptr<Kernel> bind_gelu_backward(const Binding& binding, const auto& launcher) {
  const auto form = attributes_of<graph::GeluBackward>(binding).form;
  return bind_point<2>(binding, launcher, "gelu_backward", GeluGradient{form});
}

}  // namespace ddlbench::kernels::own
