#include "kernels/own/linear_cross_entropy.h"

#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/linear.h"
#include "kernels/cuda/ops.h"

namespace ddlbench::kernels::cuda {
namespace {

void add(KernelTable& table, const Context& context, const char* kind) {
  table.add(kind, [&context](const Binding& binding) {
    return own::bind_linear_cross_entropy(binding, Launcher(context), [&context](const Binding& product) {
      return bind_product_of_logits(context, product);
    });
  });
}

}  // namespace

void add_linear_cross_entropy(KernelTable& table, const Context& context) {
  add(table, context, "linear_cross_entropy");
}

void add_linear_cross_entropy_and_gradients(KernelTable& table, const Context& context) {
  add(table, context, "linear_cross_entropy_and_gradients");
}

}  // namespace ddlbench::kernels::cuda
