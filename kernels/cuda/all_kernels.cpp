#include "kernels/cuda/all_kernels.h"

#include "kernels/cuda/ops.h"

namespace ddlbench::kernels::cuda {

KernelTable all_kernels(const Context& context) {
  KernelTable table("cuda");
#define DDLBENCH_OP(name) add_##name(table, context);
#include "kernels/ops.def"
#undef DDLBENCH_OP
  return table;
}

}  // namespace ddlbench::kernels::cuda
