#pragma once

#include "kernels/own/segments.h"

/// Updates of flat buffers, in one launch for every SegmentTable::capacity segments. Values that change from step to
/// step are read on the device, so that a recorded launch uses the current ones.
namespace ddlbench::kernels::own {

template <int width, class Rule>
struct UpdateBody {
  static constexpr int states = Rule::states;
  Rule rule;
  graph::Guard guard;
  const graph::Scalars* scalars;
  const float* norms;
  const float* squared_norm;
  const float* w;
  AnyFloats g;
  float* w_out;
  NarrowCopy working;
  const float* s[2];
  float* s_out[2];
  SegmentTable table;

  /// The range is divided into whole packs, which begin at multiples of `width`, and single elements before the first
  /// pack and after the last.
  DDLBENCH_HOST_DEVICE std::int64_t first_pack() const {
    const std::int64_t rounded = (table.begin() + width - 1) / width * width;
    return rounded < table.end() ? rounded : table.end();
  }
  DDLBENCH_HOST_DEVICE std::int64_t packs() const { return (table.end() - first_pack()) / width; }
  DDLBENCH_HOST_DEVICE std::int64_t items() const { return packs() + (table.end() - table.begin() - packs() * width); }

  DDLBENCH_DEVICE void operator()(auto& team) const {
    const auto shared = step_of(team, rule, scalars, guard, squared_norm);
    const std::int64_t from = first_pack(), whole = packs(), before = from - table.begin();
    each_index(team, items(), [&](std::int64_t item) {
      if (item < whole) return run<width>(shared, from + item * width);
      const std::int64_t single = item - whole;
      run<1>(shared, single < before ? table.begin() + single : from + whole * width + (single - before));
    });
  }

 private:
  DDLBENCH_DEVICE TensorTerms<float> terms(const auto& step, int segment) const {
    return step.terms(table.exempts[segment], norms == nullptr ? nullptr : norms + 2 * table.tensors[segment]);
  }

  template <int n, class Step>
  DDLBENCH_DEVICE void run(const StepAndGate<Step>& shared, std::int64_t i) const {
    auto weights = load<n>(w + i);
    Floats<n> kept[2] = {};
    for (int k = 0; k < states; ++k) kept[k] = load<n>(s[k] + i);
    if (!shared.gate.skips) {
      const auto gradients = g.load_at<n>(i);
      int segment = table.find(i);
      auto shares = terms(shared.step, segment);
      for (int e = 0; e < n; ++e) {
        while (i + e >= table.begins[segment + 1]) shares = terms(shared.step, ++segment);
        float values[2] = {kept[0].of[e], kept[1].of[e]};
        shared.step(weights.of[e], gradients.of[e] * shared.gate.scale, values, shares);
        for (int k = 0; k < states; ++k) kept[k].of[e] = values[k];
      }
    }
    store<n>(w_out + i, weights);
    for (int k = 0; k < states; ++k)
      if (Rule::changes_states || s_out[k] != s[k]) store<n>(s_out[k] + i, kept[k]);
    working.store_at<n>(i, weights);
  }
};

template <class Rule, class Launcher>
std::unique_ptr<Kernel> bind_update(const Binding& binding, const Launcher& launcher, const Rule& rule) {
  constexpr int states = Rule::states;
  const auto z = sizes_of_update(binding, states, Rule::needs_norms);
  const auto tables = tables_of(z.segments);
  const std::string name(binding.op->kind());
  return make_kernel(binding, [=](const Arguments& a) {
    const int working = z.working_output(states);
    bool vectors = aligned({a.inputs[0], a.inputs[1], a.outputs[0], working < 0 ? nullptr : a.outputs[working]});
    for (int k = 0; k < states; ++k) vectors = vectors && aligned({a.inputs[2 + k], a.outputs[1 + k]});
    with_width<float>(vectors, [&](auto width) {
      for (const SegmentTable& table : tables) {
        UpdateBody<decltype(width)::value, Rule> body{rule,
                                                      z.guard,
                                                      a.scalars,
                                                      z.norms < 0 ? nullptr : input(a, z.norms),
                                                      z.squared_norm < 0 ? nullptr : input(a, z.squared_norm),
                                                      input(a, 0),
                                                      {a.inputs[1], z.gradient},
                                                      output(a, 0),
                                                      {working < 0 ? nullptr : a.outputs[working], z.working},
                                                      {},
                                                      {},
                                                      table};
        for (int k = 0; k < states; ++k) {
          body.s[k] = input(a, 2 + k);
          body.s_out[k] = output(a, 1 + k);
        }
        launcher.items(name.c_str(), body.items(), body);
      }
    });
  });
}

std::unique_ptr<Kernel> bind_sgd_update(const Binding& binding, const auto& launcher) {
  const auto& op = attributes_of<graph::SgdUpdate>(binding);
  if (op.momentum != 0) return bind_update(binding, launcher, SgdRule<1>(op));
  return bind_update(binding, launcher, SgdRule<0>(op));
}

std::unique_ptr<Kernel> bind_adam_update(const Binding& binding, const auto& launcher) {
  return bind_update(binding, launcher, AdamRule(attributes_of<graph::AdamUpdate>(binding)));
}

std::unique_ptr<Kernel> bind_lars_update(const Binding& binding, const auto& launcher) {
  return bind_update(binding, launcher, LarsRule(attributes_of<graph::LarsUpdate>(binding)));
}

std::unique_ptr<Kernel> bind_lamb_update(const Binding& binding, const auto& launcher) {
  return bind_update(binding, launcher, LambRule(attributes_of<graph::LambUpdate>(binding)));
}

}  // namespace ddlbench::kernels::own
