#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/ops.h"
#include "kernels/own/column_sums.h"

namespace ddlbench::kernels::cuda {

void add_bias_backward(KernelTable& table, const Context& context) {
  table.add(
      "bias_backward",
      [&context](const Binding& binding) { return own::bind_bias_backward(binding, Launcher(context)); },
      Channels::last);
}

void add_add_positions_backward_weight(KernelTable& table, const Context& context) {
  table.add("add_positions_backward_weight", [&context](const Binding& binding) {
    return own::bind_add_positions_backward_weight(binding, Launcher(context));
  });
}

}  // namespace ddlbench::kernels::cuda
