#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/ops.h"
#include "kernels/own/batch_moments.h"
#include "kernels/own/statistics.h"

namespace ddlbench::kernels::cuda {

void add_batch_moments(KernelTable& table, const Context& context) {
  table.add(
      "batch_moments",
      [&context](const Binding& binding) { return own::bind_batch_moments(binding, Launcher(context)); },
      Channels::last);
}

void add_combine_moments(KernelTable& table, const Context& context) {
  table.add("combine_moments",
            [&context](const Binding& binding) { return own::bind_combine_moments(binding, Launcher(context)); });
}

void add_batch_norm_backward_moments(KernelTable& table, const Context& context) {
  table.add(
      "batch_norm_backward_moments",
      [&context](const Binding& binding) { return own::bind_batch_norm_backward_moments(binding, Launcher(context)); },
      Channels::last);
}

void add_batch_norm_backward_weight(KernelTable& table, const Context& context) {
  table.add("batch_norm_backward_weight", [&context](const Binding& binding) {
    return own::bind_batch_norm_backward_weight(binding, Launcher(context));
  });
}

void add_observe_moments(KernelTable& table, const Context& context) {
  table.add("observe_moments",
            [&context](const Binding& binding) { return own::bind_observe_moments(binding, Launcher(context)); });
}

void add_statistic_update(KernelTable& table, const Context& context) {
  table.add("statistic_update",
            [&context](const Binding& binding) { return own::bind_statistic_update(binding, Launcher(context)); });
}

}  // namespace ddlbench::kernels::cuda
