#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/ops.h"
#include "kernels/own/cast.h"
#include "kernels/own/dropout.h"

namespace ddlbench::kernels::cuda {

void add_dropout(KernelTable& table, const Context& context) {
  table.add("dropout", [&context](const Binding& binding) { return own::bind_dropout(binding, Launcher(context)); });
}

void add_cast(KernelTable& table, const Context& context) {
  table.add(
      "cast", [&context](const Binding& binding) { return own::bind_cast(binding, Launcher(context)); },
      Channels::last);
}

}  // namespace ddlbench::kernels::cuda
