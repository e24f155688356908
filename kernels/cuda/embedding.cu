#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/ops.h"
#include "kernels/own/embedding.h"

namespace ddlbench::kernels::cuda {

void add_embedding(KernelTable& table, const Context& context) {
  table.add("embedding",
            [&context](const Binding& binding) { return own::bind_embedding(binding, Launcher(context)); });
}

void add_embedding_backward_weight(KernelTable& table, const Context& context) {
  table.add("embedding_backward_weight", [&context](const Binding& binding) {
    return own::bind_embedding_backward_weight(binding, Launcher(context));
  });
}

}  // namespace ddlbench::kernels::cuda
