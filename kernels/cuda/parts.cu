#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/ops.h"
#include "kernels/own/parts.h"

namespace ddlbench::kernels::cuda {

void add_split_parts(KernelTable& table, const Context& context) {
  table.add(
      "split_parts", [&context](const Binding& binding) { return own::bind_split_parts(binding, Launcher(context)); },
      Channels::last);
}

void add_join_parts(KernelTable& table, const Context& context) {
  table.add(
      "join_parts", [&context](const Binding& binding) { return own::bind_join_parts(binding, Launcher(context)); },
      Channels::last);
}

void add_slice(KernelTable& table, const Context& context) {
  table.add(
      "slice", [&context](const Binding& binding) { return own::bind_slice(binding, Launcher(context)); },
      Channels::last);
}

}  // namespace ddlbench::kernels::cuda
