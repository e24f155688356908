#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/ops.h"
#include "kernels/own/batch_norm.h"

namespace ddlbench::kernels::cuda {

void add_batch_norm(KernelTable& table, const Context& context) {
  table.add(
      "batch_norm", [&context](const Binding& binding) { return own::bind_batch_norm(binding, Launcher(context)); },
      Channels::last);
}

void add_batch_norm_inference(KernelTable& table, const Context& context) {
  table.add(
      "batch_norm_inference",
      [&context](const Binding& binding) { return own::bind_batch_norm_inference(binding, Launcher(context)); },
      Channels::last);
}

void add_batch_norm_backward_input(KernelTable& table, const Context& context) {
  table.add(
      "batch_norm_backward_input",
      [&context](const Binding& binding) { return own::bind_batch_norm_backward_input(binding, Launcher(context)); },
      Channels::last);
}

}  // namespace ddlbench::kernels::cuda
