#pragma once

#include <dnnl.hpp>

#include "kernels/choice/choices.h"
#include "kernels/kernel_table.h"

namespace ddlbench::kernels::cpu {

/// What the kernels of a CPU device share. It must outlive them.
struct Context {
  int threads = 1;
  bool winograd = true;  ///< convolutions may use Winograd's algorithm
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream;
  Choices* choices = nullptr;            ///< shared by the devices of a process
  const KernelTable* kernels = nullptr;  ///< the kernels of the device
};

}  // namespace ddlbench::kernels::cpu
