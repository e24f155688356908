#include "kernels/own/head_loss.h"

#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/linear.h"
#include "kernels/cuda/ops.h"

namespace ddlbench::kernels::cuda {
namespace {

BindProduct products_of(const Context& context) {
  return [&context](const Binding& binding) { return bind_product_of_logits(context, binding); };
}

}  // namespace

void add_head_loss(KernelTable& table, const Context& context) {
  table.add("head_loss", [&context](const Binding& binding) {
    return own::bind_head_loss(binding, Launcher(context), products_of(context));
  });
}

void add_head_loss_and_gradients(KernelTable& table, const Context& context) {
  table.add("head_loss_and_gradients", [&context](const Binding& binding) {
    return own::bind_head_loss_and_gradients(binding, Launcher(context), products_of(context));
  });
}

void add_head_loss_backward_input(KernelTable& table, const Context& context) {
  table.add("head_loss_backward_input", [&context](const Binding& binding) {
    return own::bind_head_loss_backward_input(binding, Launcher(context), products_of(context));
  });
}

void add_head_loss_backward_weight(KernelTable& table, const Context& context) {
  table.add("head_loss_backward_weight", [&context](const Binding& binding) {
    return own::bind_head_loss_backward_weight(binding, Launcher(context), products_of(context));
  });
}

}  // namespace ddlbench::kernels::cuda
