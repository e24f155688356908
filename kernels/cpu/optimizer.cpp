#include "graph/ops/optimizer.h"

#include <cstring>

#include "kernels/binding.h"
#include "kernels/cpu/ops.h"
#include "kernels/cpu/parallel.h"
#include "kernels/flat_sizes.h"
#include "kernels/functors.h"
#include "kernels/operands.h"

namespace ddlbench::kernels::cpu {
namespace {

/// What a skipped step still does: output `output_index` is input `input_index`, wherever they lie.
void copy_through(const Arguments& a, std::int64_t size, int output_index, int input_index) {
  if (a.outputs[output_index] == a.inputs[input_index]) return;
  std::memcpy(a.outputs[output_index], a.inputs[input_index], static_cast<std::size_t>(size) * sizeof(float));
}

void plain_sgd(SgdStep<float> step, const Arguments& a, std::int64_t begin, std::int64_t end) {
  const float *w = input(a, 0), *g = input(a, 1);
  float* w_out = output(a, 0);
  DDLBENCH_INDEPENDENT
  for (std::int64_t i = begin; i < end; ++i) w_out[i] = step.weight(w[i], step.velocity(w[i], g[i], 0.0f));
}

void momentum_sgd(SgdStep<float> step, const Arguments& a, std::int64_t begin, std::int64_t end) {
  const float *w = input(a, 0), *g = input(a, 1), *v = input(a, 2);
  float *w_out = output(a, 0), *v_out = output(a, 1);
  DDLBENCH_INDEPENDENT
  for (std::int64_t i = begin; i < end; ++i) {
    const float velocity = step.velocity(w[i], g[i], v[i]);
    w_out[i] = step.weight(w[i], velocity);
    v_out[i] = velocity;
  }
}

void adam(AdamStep<float> step, const Arguments& a, std::int64_t begin, std::int64_t end) {
  const float *w = input(a, 0), *g = input(a, 1), *m = input(a, 2), *v = input(a, 3);
  float *w_out = output(a, 0), *m_out = output(a, 1), *v_out = output(a, 2);
  DDLBENCH_INDEPENDENT
  for (std::int64_t i = begin; i < end; ++i) {
    const float gradient = step.gradient(w[i], g[i]);
    const float first = step.first_moment(gradient, m[i]), second = step.second_moment(gradient, v[i]);
    w_out[i] = step.weight(w[i], first, second);
    m_out[i] = first;
    v_out[i] = second;
  }
}

}  // namespace

void add_sgd_update(KernelTable& table, const Context& context) {
  table.add("sgd_update", [&context](const Binding& binding) {
    const auto& op = attributes_of<graph::SgdUpdate>(binding);
    const bool keeps_velocity = op.momentum != 0;
    const auto size = size_of_update(binding, keeps_velocity ? 1 : 0);
    const auto launch = [=, threads = context.threads, m = op.momentum, decay = op.weight_decay](const Arguments& a) {
      if (a.scalars->skip != 0) {
        copy_through(a, size, 0, 0);
        if (keeps_velocity) copy_through(a, size, 1, 2);
        return;
      }
      const SgdStep<float> step(*a.scalars, m, decay);
      parallel_for(threads, size, size, [&](auto begin, auto end) {
        keeps_velocity ? momentum_sgd(step, a, begin, end) : plain_sgd(step, a, begin, end);
      });
    };
    return make_kernel(flops_of(binding), launch);
  });
}

void add_adam_update(KernelTable& table, const Context& context) {
  table.add("adam_update", [&context](const Binding& binding) {
    const auto& op = attributes_of<graph::AdamUpdate>(binding);
    const auto size = size_of_update(binding, 2);
    const auto launch = [=, threads = context.threads, b1 = op.beta1, b2 = op.beta2, e = op.epsilon,
                         decay = op.weight_decay](const Arguments& a) {
      if (a.scalars->skip != 0) {
        copy_through(a, size, 0, 0);
        copy_through(a, size, 1, 2);
        copy_through(a, size, 2, 3);
        return;
      }
      const AdamStep<float> step(*a.scalars, b1, b2, e, decay);
      parallel_for(threads, size, size, [&](auto begin, auto end) { adam(step, a, begin, end); });
    };
    return make_kernel(flops_of(binding), launch);
  });
}

}  // namespace ddlbench::kernels::cpu
