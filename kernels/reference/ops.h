#pragma once

#include "kernels/kernel_table.h"

/// Naive loops that follow the definitions, with sums in f64 on one thread: the reference for every other device.
namespace ddlbench::kernels::reference {

#define DDLBENCH_OP(name) void add_##name(KernelTable& table);
#include "kernels/ops.def"
#undef DDLBENCH_OP

/// Returns the table of all kernels of this device.
KernelTable all_kernels();

/// Defines add_NAME. The block that follows returns the kernel for `binding`. Additional arguments are those that
/// KernelTable::add takes before the factory.
#define DDLBENCH_REFERENCE_KERNEL(name, ...)                          \
  static std::unique_ptr<Kernel> bind_##name(const Binding& binding); \
  void add_##name(KernelTable& table) {                               \
    table.add(#name, __VA_ARGS__ __VA_OPT__(, ) bind_##name);         \
  }                                                                   \
  std::unique_ptr<Kernel> bind_##name([[maybe_unused]] const Binding& binding)

}  // namespace ddlbench::kernels::reference
