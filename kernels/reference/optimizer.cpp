#include "graph/ops/optimizer.h"

#include "kernels/binding.h"
#include "kernels/flat_sizes.h"
#include "kernels/functors.h"
#include "kernels/operands.h"
#include "kernels/reference/ops.h"

namespace ddlbench::kernels::reference {
namespace {

/// What a skipped step still does: outputs are the inputs, wherever they lie.
void copy_through(const Arguments& a, std::int64_t i, int output_index, int input_index) {
  output(a, output_index)[i] = input(a, input_index)[i];
}

}  // namespace

void add_sgd_update(KernelTable& table) {
  table.add("sgd_update", [](const Binding& binding) {
    const auto& op = attributes_of<graph::SgdUpdate>(binding);
    const bool keeps_velocity = op.momentum != 0;
    const auto size = size_of_update(binding, keeps_velocity ? 1 : 0);
    return make_kernel(flops_of(binding), [=, momentum = op.momentum, decay = op.weight_decay](const Arguments& a) {
      const SgdStep<double> step(*a.scalars, momentum, decay);
      for (std::int64_t i = 0; i < size; ++i) {
        if (a.scalars->skip != 0) {
          copy_through(a, i, 0, 0);
          if (keeps_velocity) copy_through(a, i, 1, 2);
          continue;
        }
        const double w = input(a, 0)[i];
        const double v = step.velocity(w, input(a, 1)[i], keeps_velocity ? input(a, 2)[i] : 0.0f);
        output(a, 0)[i] = static_cast<float>(step.weight(w, v));
        if (keeps_velocity) output(a, 1)[i] = static_cast<float>(v);
      }
    });
  });
}

void add_adam_update(KernelTable& table) {
  table.add("adam_update", [](const Binding& binding) {
    const auto& op = attributes_of<graph::AdamUpdate>(binding);
    const auto size = size_of_update(binding, 2);
    return make_kernel(flops_of(binding),
                       [=, b1 = op.beta1, b2 = op.beta2, e = op.epsilon, decay = op.weight_decay](const Arguments& a) {
                         const AdamStep<double> step(*a.scalars, b1, b2, e, decay);
                         for (std::int64_t i = 0; i < size; ++i) {
                           if (a.scalars->skip != 0) {
                             copy_through(a, i, 0, 0);
                             copy_through(a, i, 1, 2);
                             copy_through(a, i, 2, 3);
                             continue;
                           }
                           const double w = input(a, 0)[i];
                           const double gradient = step.gradient(w, input(a, 1)[i]);
                           const double m = step.first_moment(gradient, input(a, 2)[i]);
                           const double v = step.second_moment(gradient, input(a, 3)[i]);
                           output(a, 0)[i] = static_cast<float>(step.weight(w, m, v));
                           output(a, 1)[i] = static_cast<float>(m);
                           output(a, 2)[i] = static_cast<float>(v);
                         }
                       });
  });
}

}  // namespace ddlbench::kernels::reference
