#pragma once

#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/ops.h"

/// Defines add_NAME, by which own::bind_NAME binds for the GPU. `channels` is how they may lie (Channels).
#define DDLBENCH_OWN_KERNEL(name, channels)                                                                 \
  void add_##name(KernelTable& table, const Context& context) {                                             \
    table.add(#name, Channels::channels,                                                                    \
              [&context](const Binding& binding) { return own::bind_##name(binding, Launcher(context)); }); \
  }
