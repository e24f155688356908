#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/ops.h"
#include "kernels/own/layer_norm.h"
#include "kernels/own/layer_norm_weight.h"

namespace ddlbench::kernels::cuda {

void add_layer_norm(KernelTable& table, const Context& context) {
  table.add("layer_norm",
            [&context](const Binding& binding) { return own::bind_layer_norm(binding, Launcher(context)); });
}

void add_layer_norm_backward_input(KernelTable& table, const Context& context) {
  table.add("layer_norm_backward_input", [&context](const Binding& binding) {
    return own::bind_layer_norm_backward_input(binding, Launcher(context));
  });
}

void add_layer_norm_backward_weight(KernelTable& table, const Context& context) {
  table.add("layer_norm_backward_weight", [&context](const Binding& binding) {
    return own::bind_layer_norm_backward_weight(binding, Launcher(context));
  });
}

}  // namespace ddlbench::kernels::cuda
