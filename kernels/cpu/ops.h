#pragma once

#include "kernels/cpu/context.h"
#include "kernels/kernel_table.h"

/// Convolutions and matrix products use oneDNN, all else uses the loops of this folder. `context` must outlive the
/// table and its kernels.
namespace ddlbench::kernels::cpu {

#define DDLBENCH_OP(name) void add_##name(KernelTable& table, const Context& context);
#include "kernels/ops.def"
#undef DDLBENCH_OP

/// Defines add_NAME. The block that follows returns the kernel for `binding` and `context`. Further arguments are those
/// that KernelTable::add takes before the factory.
#define DDLBENCH_CPU_KERNEL(name, ...)                                                                           \
  static std::unique_ptr<Kernel> bind_##name(const Binding& binding, const Context& context);                    \
  void add_##name(KernelTable& table, const Context& context) {                                                  \
    table.add(                                                                                                   \
        #name,                                                                                                   \
        __VA_ARGS__ __VA_OPT__(, )[&context](const Binding& binding) { return bind_##name(binding, context); }); \
  }                                                                                                              \
  std::unique_ptr<Kernel> bind_##name([[maybe_unused]] const Binding& binding, [[maybe_unused]] const Context& context)

}  // namespace ddlbench::kernels::cpu
