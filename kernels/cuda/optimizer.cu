#include "kernels/own/optimizer.h"

#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/ops.h"
#include "kernels/own/loss_scale.h"
#include "kernels/own/norms.h"

namespace ddlbench::kernels::cuda {

#define DDLBENCH_OWN(name)                                                                                  \
  void add_##name(KernelTable& table, const Context& context) {                                             \
    table.add(#name, Storage::any_float,                                                                    \
              [&context](const Binding& binding) { return own::bind_##name(binding, Launcher(context)); }); \
  }
DDLBENCH_OWN(sgd_update)
DDLBENCH_OWN(adam_update)
DDLBENCH_OWN(lars_update)
DDLBENCH_OWN(lamb_measure)
DDLBENCH_OWN(lamb_update)
DDLBENCH_OWN(tensor_norms)
DDLBENCH_OWN(squared_norm)
DDLBENCH_OWN(loss_scale_update)
#undef DDLBENCH_OWN

}  // namespace ddlbench::kernels::cuda
