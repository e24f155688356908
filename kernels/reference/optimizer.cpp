#include "graph/ops/optimizer.h"

#include <vector>

#include "kernels/functors/loss_scale.h"
#include "kernels/functors/update.h"
#include "kernels/operands.h"
#include "kernels/reference/ops.h"
#include "kernels/reference/sums.h"
#include "kernels/rewrite/convert.h"
#include "kernels/sizes/update.h"

namespace ddlbench::kernels::reference {
namespace {

float number_at(const void* numbers, graph::DType dtype, std::int64_t i) {
  if (!is_narrow(dtype)) return static_cast<const float*>(numbers)[i];
  float wide = 0;
  widen(1, dtype, static_cast<const std::uint16_t*>(numbers) + i, &wide, 1);
  return wide;
}

const float* row_of(const Arguments& a, const UpdateSizes& z, int tensor) {
  return z.norms < 0 ? nullptr : input(a, z.norms) + 2 * tensor;
}

Gate<double> gate_of(const Arguments& a, const UpdateSizes& z) {
  return {*a.scalars, z.guard, z.squared_norm < 0 ? nullptr : input(a, z.squared_norm)};
}

template <class Rule>
void update(const Rule& rule, const UpdateSizes& z, const Arguments& a) {
  const auto gate = gate_of(a, z);
  const auto step = rule.at(*a.scalars, gate.clip);
  for (const graph::UpdateSegment& segment : z.segments) {
    const auto terms = step.terms(segment.exempt, row_of(a, z, segment.tensor));
    for (std::int64_t i = segment.begin; i < segment.end; ++i) {
      double w = input(a, 0)[i], states[2] = {};
      for (int s = 0; s < Rule::states; ++s) states[s] = input(a, 2 + s)[i];
      if (!gate.skips) step(w, number_at(a.inputs[1], z.gradient, i) * gate.scale, states, terms);
      output(a, 0)[i] = static_cast<float>(w);
      for (int s = 0; s < Rule::states; ++s) output(a, 1 + s)[i] = static_cast<float>(states[s]);
    }
  }
  if (z.working != graph::DType::f32)
    narrow(1, z.working, output(a, 0), a.outputs[z.working_output(Rule::states)], z.size);
}

template <class Rule, class Op>
std::unique_ptr<Kernel> bind_update(const Binding& binding) {
  const Rule rule(attributes_of<Op>(binding));
  const auto z = sizes_of_update(binding, Rule::states, Rule::needs_norms);
  return make_kernel(binding, [=](const Arguments& a) { update(rule, z, a); });
}

template <class Rule>
std::unique_ptr<Kernel> bind_measure(const Binding& binding, const Rule& rule) {
  const auto z = sizes_of_measure(binding, Rule::states);
  return make_kernel(binding, sums_bytes(2 * z.tensors), [=](const Arguments& a) {
    const auto gate = gate_of(a, z);
    const auto step = rule.at(*a.scalars, gate.clip);
    const auto rows = sums(a, 2 * z.tensors);
    for (const graph::UpdateSegment& segment : z.segments) {
      for (std::int64_t i = segment.begin; i < segment.end; ++i) {
        double states[2] = {};
        for (int s = 0; s < Rule::states; ++s) states[s] = input(a, 2 + s)[i];
        if (!gate.skips) {
          const double g = number_at(a.inputs[1], z.gradient, i) * gate.scale;
          const auto made = step.measure(input(a, 0)[i], g, states, step.terms(segment.exempt, nullptr));
          rows[static_cast<std::size_t>(2 * segment.tensor)] += made.first;
          rows[static_cast<std::size_t>(2 * segment.tensor + 1)] += made.second;
        }
        for (int s = 0; s < Rule::states; ++s) output(a, s)[i] = static_cast<float>(states[s]);
      }
    }
    write_all(output(a, Rule::states), rows, false);
  });
}

}  // namespace

DDLBENCH_REFERENCE_KERNEL(sgd_update, Storage::any_float) {
  return attributes_of<graph::SgdUpdate>(binding).momentum != 0 ? bind_update<SgdRule<1>, graph::SgdUpdate>(binding)
                                                                : bind_update<SgdRule<0>, graph::SgdUpdate>(binding);
}

void add_adam_update(KernelTable& table) {
  table.add("adam_update", Storage::any_float, bind_update<AdamRule, graph::AdamUpdate>);
}

void add_lars_update(KernelTable& table) {
  table.add("lars_update", Storage::any_float, bind_update<LarsRule, graph::LarsUpdate>);
}

void add_lamb_update(KernelTable& table) {
  table.add("lamb_update", Storage::any_float, bind_update<LambRule, graph::LambUpdate>);
}

DDLBENCH_REFERENCE_KERNEL(lamb_measure, Storage::any_float) {
  return bind_measure(binding, LambRule(attributes_of<graph::LambMeasure>(binding)));
}

DDLBENCH_REFERENCE_KERNEL(tensor_norms, Storage::any_float) {
  return bind_measure(binding, NormRule{});
}

DDLBENCH_REFERENCE_KERNEL(squared_norm, Storage::any_float) {
  const auto z = sizes_of_squared_norm(binding);
  return make_kernel(binding, [=, accumulate = binding.accumulate](const Arguments& a) {
    double sum = 0;
    for (std::int64_t i = 0; i < z.size; ++i) {
      const double g = number_at(a.inputs[0], z.gradient, i) / double{a.scalars->scaler.scale};
      sum += g * g;
    }
    write(output(a, 0)[0], sum, accumulate);
  });
}

void add_loss_scale_update(KernelTable& table) {
  table.add("loss_scale_update", bind_loss_scale_update);
}

}  // namespace ddlbench::kernels::reference
