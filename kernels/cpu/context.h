#pragma once

#include <dnnl.hpp>

#include "kernels/choice/choices.h"
#include "kernels/kernel_table.h"

namespace ddlbench::kernels::cpu {

/// What a CPU device's kernels share. It outlives them.
struct Context {
  int threads = 1;
  bool winograd = true;  ///< convolutions may be computed by Winograd's algorithm
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream;
  Choices* choices = nullptr;            ///< shared by the devices of a process
  const KernelTable* kernels = nullptr;  ///< the device's
};

}  // namespace ddlbench::kernels::cpu
