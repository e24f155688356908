#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/ops.h"
#include "kernels/own/reblock.h"

namespace ddlbench::kernels::cuda {

void add_reblock(KernelTable& table, const Context& context) {
  table.add(
      "reblock", Storage::any_float,
      [&context](const Binding& binding) { return own::bind_reblock(binding, Launcher(context)); },
      Channels::in_blocks);
}

}  // namespace ddlbench::kernels::cuda
