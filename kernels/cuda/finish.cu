#include "kernels/cuda/finish.h"

#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/ops.h"

namespace ddlbench::kernels::cuda {

void launch_finish(const Context& context, const own::Finish& finish, const void* sums, const void* bias,
                   void* output) {
  own::launch_finish(Launcher(context), finish, sums, bias, output);
}

void add_bias_activation(KernelTable& table, const Context& context) {
  table.add(
      "bias_activation",
      [&context](const Binding& binding) { return own::bind_bias_activation(binding, Launcher(context)); },
      Channels::last);
}

}  // namespace ddlbench::kernels::cuda
