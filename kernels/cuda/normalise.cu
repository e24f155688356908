#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/ops.h"
#include "kernels/own/normalise.h"

namespace ddlbench::kernels::cuda {

void add_normalise(KernelTable& table, const Context& context) {
  table.add("normalise",
            [&context](const Binding& binding) { return own::bind_normalise(binding, Launcher(context)); });
}

}  // namespace ddlbench::kernels::cuda
