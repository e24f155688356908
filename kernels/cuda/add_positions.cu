#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/ops.h"
#include "kernels/own/add_positions.h"

namespace ddlbench::kernels::cuda {

void add_add_positions(KernelTable& table, const Context& context) {
  table.add("add_positions",
            [&context](const Binding& binding) { return own::bind_add_positions(binding, Launcher(context)); });
}

}  // namespace ddlbench::kernels::cuda
