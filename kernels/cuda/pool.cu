#include "kernels/own/pool.h"

#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/ops.h"
#include "kernels/own/pool_average.h"

namespace ddlbench::kernels::cuda {

void add_max_pool2d(KernelTable& table, const Context& context) {
  table.add(
      "max_pool2d", [&context](const Binding& binding) { return own::bind_max_pool2d(binding, Launcher(context)); },
      Channels::last);
}

void add_max_pool2d_backward(KernelTable& table, const Context& context) {
  table.add(
      "max_pool2d_backward",
      [&context](const Binding& binding) { return own::bind_max_pool2d_backward(binding, Launcher(context)); },
      Channels::last);
}

void add_average_pool2d(KernelTable& table, const Context& context) {
  table.add("average_pool2d",
            [&context](const Binding& binding) { return own::bind_average_pool2d(binding, Launcher(context)); });
}

void add_average_pool2d_backward(KernelTable& table, const Context& context) {
  table.add("average_pool2d_backward", [&context](const Binding& binding) {
    return own::bind_average_pool2d_backward(binding, Launcher(context));
  });
}

void add_adaptive_average_pool2d(KernelTable& table, const Context& context) {
  table.add("adaptive_average_pool2d", [&context](const Binding& binding) {
    return own::bind_adaptive_average_pool2d(binding, Launcher(context));
  });
}

void add_adaptive_average_pool2d_backward(KernelTable& table, const Context& context) {
  table.add("adaptive_average_pool2d_backward", [&context](const Binding& binding) {
    return own::bind_adaptive_average_pool2d_backward(binding, Launcher(context));
  });
}

}  // namespace ddlbench::kernels::cuda
