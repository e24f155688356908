#pragma once

#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/ops.h"

/// Defines add_NAME, which adds own::bind_NAME for GPUs to a table. `channels` is the enumerator of Channels that the
/// kernel supports.
#define DDLBENCH_OWN_KERNEL(name, channels)                                                                 \
  void add_##name(KernelTable& table, const Context& context) {                                             \
    table.add(#name, Channels::channels,                                                                    \
              [&context](const Binding& binding) { return own::bind_##name(binding, Launcher(context)); }); \
  }
