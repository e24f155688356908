#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/ops.h"
#include "kernels/own/elementwise.h"

namespace ddlbench::kernels::cuda {

void add_add(KernelTable& table, const Context& context) {
  table.add(
      "add", [&context](const Binding& binding) { return own::bind_add(binding, Launcher(context)); }, Channels::last);
}

void add_activation_backward(KernelTable& table, const Context& context) {
  table.add(
      "activation_backward",
      [&context](const Binding& binding) { return own::bind_activation_backward(binding, Launcher(context)); },
      Channels::last);
}

void add_gelu(KernelTable& table, const Context& context) {
  table.add("gelu", [&context](const Binding& binding) { return own::bind_gelu(binding, Launcher(context)); });
}

void add_gelu_backward(KernelTable& table, const Context& context) {
  table.add("gelu_backward",
            [&context](const Binding& binding) { return own::bind_gelu_backward(binding, Launcher(context)); });
}

}  // namespace ddlbench::kernels::cuda
