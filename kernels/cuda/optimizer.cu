#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/ops.h"
#include "kernels/own/optimizer.h"

namespace ddlbench::kernels::cuda {

void add_sgd_update(KernelTable& table, const Context& context) {
  table.add("sgd_update",
            [&context](const Binding& binding) { return own::bind_sgd_update(binding, Launcher(context)); });
}

void add_adam_update(KernelTable& table, const Context& context) {
  table.add("adam_update",
            [&context](const Binding& binding) { return own::bind_adam_update(binding, Launcher(context)); });
}

}  // namespace ddlbench::kernels::cuda
