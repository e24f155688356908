#include "kernels/functors/loss_scale.h"

#include "kernels/kernel_table.h"
#include "kernels/operands.h"

namespace ddlbench::kernels {

void check_loss_scale_update(const Binding& binding) {
  expect_f32(binding, 2, 1);
  expect_no_accumulation(binding);
  const graph::Shape scaler{static_cast<std::int64_t>(graph::loss_scaler_states.size())};
  expect(binding,
         binding.inputs[0].shape == graph::Shape{1} && binding.inputs[1].shape == scaler &&
             binding.outputs[0].shape == scaler,
         "it needs a norm and a loss scaler, and returns a scaler");
}

std::unique_ptr<Kernel> bind_loss_scale_update(const Binding& binding) {
  check_loss_scale_update(binding);
  const int interval = attributes_of<graph::LossScaleUpdate>(binding).growth_interval;
  return make_kernel(binding, [interval](const Arguments& a) {
    *output_of<graph::LossScaler>(a, 0) = next_scaler(*input_of<graph::LossScaler>(a, 1), *input(a, 0), interval);
  });
}

}  // namespace ddlbench::kernels
