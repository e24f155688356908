#pragma once

#include "kernels/kernel_table.h"

/// Naive loops that follow the definitions, sums in f64, one thread: the oracle of every other device.
namespace ddlbench::kernels::reference {

#define DDLBENCH_OP(name) void add_##name(KernelTable& table);
#include "kernels/ops.def"
#undef DDLBENCH_OP

/// All of the above.
KernelTable all_kernels();

/// Defines add_NAME: the block that follows binds the kernel, of `binding`. More arguments: what KernelTable::add takes
/// before the factory.
#define DDLBENCH_REFERENCE_KERNEL(name, ...)                          \
  static std::unique_ptr<Kernel> bind_##name(const Binding& binding); \
  void add_##name(KernelTable& table) {                               \
    table.add(#name, __VA_ARGS__ __VA_OPT__(, ) bind_##name);         \
  }                                                                   \
  std::unique_ptr<Kernel> bind_##name([[maybe_unused]] const Binding& binding)

}  // namespace ddlbench::kernels::reference
