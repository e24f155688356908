#pragma once

#include "kernels/functors.h"
#include "kernels/own/broadcast.h"

/// What is left of an op when a library has computed its sums.
namespace ddlbench::kernels::own {

struct Finish {
  AroundDimension around;  ///< of the output, around the dimension of the bias
  graph::DType dtype = graph::DType::f32;
  graph::Activation activation = graph::Activation::none;
  bool accumulate = false;
};

/// y = f(x + b), or y plus that. Without x sums are 0, without b nothing is added to them; x may be y.
template <class T, int width>
struct FinishBody {
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
      Floats<n> values{};
      if (x != nullptr) values = load<n>(x + i);
      Walk walk(middle, inner, i);
      for (int k = 0; k < n; ++k, walk.step())
        values.of[k] = activate(f, b == nullptr ? values.of[k] : values.of[k] + to_f32(b[walk.middle()]));
      store<n>(y + i, values, accumulate);
    });
  }
};

template <class Launcher>
void launch_finish(const Launcher& launcher, const Finish& finish, const void* sums, const void* bias, void* output) {
  const AroundDimension& z = finish.around;
  const Divider middle = divider_of(z.size), inner = divider_of(z.inner);
  with_storage(finish.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto *x = static_cast<const T*>(sums), *b = static_cast<const T*>(bias);
    auto* y = static_cast<T*>(output);
    with_width<T>(aligned({x, y}), [&](auto width) {
      const FinishBody<T, decltype(width)::value> body{finish.activation, middle,           inner, x, b, y,
                                                       z.elements(),      finish.accumulate};
      launcher.items("finish", items_of(z.elements(), width), body);
    });
  });
}

}  // namespace ddlbench::kernels::own
