#include "kernels/own/cross_entropy.h"

#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/ops.h"
#include "kernels/own/squared_error.h"

namespace ddlbench::kernels::cuda {

void add_cross_entropy(KernelTable& table, const Context& context) {
  table.add("cross_entropy",
            [&context](const Binding& binding) { return own::bind_cross_entropy(binding, Launcher(context)); });
}

void add_cross_entropy_backward(KernelTable& table, const Context& context) {
  table.add("cross_entropy_backward", [&context](const Binding& binding) {
    return own::bind_cross_entropy_backward(binding, Launcher(context));
  });
}

void add_mean_squared_error(KernelTable& table, const Context& context) {
  table.add("mean_squared_error",
            [&context](const Binding& binding) { return own::bind_mean_squared_error(binding, Launcher(context)); });
}

void add_mean_squared_error_backward(KernelTable& table, const Context& context) {
  table.add("mean_squared_error_backward", [&context](const Binding& binding) {
    return own::bind_mean_squared_error_backward(binding, Launcher(context));
  });
}

}  // namespace ddlbench::kernels::cuda
