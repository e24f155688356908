#pragma once

#include "graph/ops/optimizer.h"
#include "kernels/flat_sizes.h"
#include "kernels/functors.h"
#include "kernels/own/bind.h"

/// One launch over the flat buffers. What changes from step to step is read on the device, so that a recorded launch
/// follows it.
namespace ddlbench::kernels::own {

template <int width, bool keeps_velocity>
struct SgdBody {
  const graph::Scalars* scalars;
  const float* w;
  const float* g;
  const float* v;
  float* w_out;
  float* v_out;
  std::int64_t size;
  float momentum, decay;

  template <class Team>
  DDLBENCH_DEVICE void operator()(Team& team) const {
    const bool skips = scalars->skip != 0;
    const SgdStep<float> step(*scalars, momentum, decay);
    each_pack<width>(team, size, [&](auto n, std::int64_t i) {
      auto weights = load<n>(w + i);
      Floats<n> velocities{};
      if constexpr (keeps_velocity) velocities = load<n>(v + i);
      if (!skips) {
        const auto gradients = load<n>(g + i);
        for (int k = 0; k < n; ++k) {
          velocities.of[k] = step.velocity(weights.of[k], gradients.of[k], velocities.of[k]);
          weights.of[k] = step.weight(weights.of[k], velocities.of[k]);
        }
      }
      store<n>(w_out + i, weights);
      if constexpr (keeps_velocity) store<n>(v_out + i, velocities);
    });
  }
};

template <int width>
struct AdamBody {
  const graph::Scalars* scalars;
  const float* w;
  const float* g;
  const float* m;
  const float* v;
  float* w_out;
  float* m_out;
  float* v_out;
  std::int64_t size;
  float beta1, beta2, epsilon, decay;

  template <class Team>
  DDLBENCH_DEVICE void operator()(Team& team) const {
    const bool skips = scalars->skip != 0;
    // Its powers are in f64 and dear: one thread's work.
    const auto step = team.first([&] { return AdamStep<float>(*scalars, beta1, beta2, epsilon, decay); });
    each_pack<width>(team, size, [&](auto n, std::int64_t i) {
      auto weights = load<n>(w + i), first = load<n>(m + i), second = load<n>(v + i);
      if (!skips) {
        const auto gradients = load<n>(g + i);
        for (int k = 0; k < n; ++k) {
          const float gradient = step.gradient(weights.of[k], gradients.of[k]);
          first.of[k] = step.first_moment(gradient, first.of[k]);
          second.of[k] = step.second_moment(gradient, second.of[k]);
          weights.of[k] = step.weight(weights.of[k], first.of[k], second.of[k]);
        }
      }
      store<n>(w_out + i, weights);
      store<n>(m_out + i, first);
      store<n>(v_out + i, second);
    });
  }
};

template <bool keeps_velocity, class Launcher>
std::unique_ptr<Kernel> bind_sgd(const Binding& binding, const Launcher& launcher) {
  const auto& op = attributes_of<graph::SgdUpdate>(binding);
  const auto size = size_of_update(binding, keeps_velocity ? 1 : 0);
  return make_kernel(flops_of(binding), [=, m = op.momentum, decay = op.weight_decay](const Arguments& a) {
    const float *w = input(a, 0), *g = input(a, 1), *v = keeps_velocity ? input(a, 2) : nullptr;
    float *w_out = output(a, 0), *v_out = keeps_velocity ? output(a, 1) : nullptr;
    with_width<float>(aligned({w, g, v, w_out, v_out}), [&](auto width) {
      const SgdBody<decltype(width)::value, keeps_velocity> body{a.scalars, w, g, v, w_out, v_out, size, m, decay};
      launcher.items("sgd_update", items_of(size, width), body);
    });
  });
}

template <class Launcher>
std::unique_ptr<Kernel> bind_sgd_update(const Binding& binding, const Launcher& launcher) {
  if (attributes_of<graph::SgdUpdate>(binding).momentum != 0) return bind_sgd<true>(binding, launcher);
  return bind_sgd<false>(binding, launcher);
}

template <class Launcher>
std::unique_ptr<Kernel> bind_adam_update(const Binding& binding, const Launcher& launcher) {
  const auto& op = attributes_of<graph::AdamUpdate>(binding);
  const auto size = size_of_update(binding, 2);
  const auto launch = [=, b1 = op.beta1, b2 = op.beta2, e = op.epsilon, decay = op.weight_decay](const Arguments& a) {
    const float *w = input(a, 0), *g = input(a, 1), *m = input(a, 2), *v = input(a, 3);
    float *w_out = output(a, 0), *m_out = output(a, 1), *v_out = output(a, 2);
    with_width<float>(aligned({w, g, m, v, w_out, m_out, v_out}), [&](auto width) {
      const AdamBody<decltype(width)::value> body{a.scalars, w, g, m, v, w_out, m_out, v_out, size, b1, b2, e, decay};
      launcher.items("adam_update", items_of(size, width), body);
    });
  };
  return make_kernel(flops_of(binding), launch);
}

}  // namespace ddlbench::kernels::own
