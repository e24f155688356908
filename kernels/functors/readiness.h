#pragma once

#include <cstdint>

#include "graph/host_device.h"

namespace ddlbench::kernels {

/// The elements of graph::MarkReady.
struct ReadinessMark {
  std::int64_t begin, end;
  DDLBENCH_HOST_DEVICE std::uint8_t operator()(std::int64_t tensor) const {
    return begin <= tensor && tensor < end ? 0 : 1;
  }
};

/// Whether a tensor is ready in some cycle: an element of the marks of graph::ConfirmReady.
struct ReadyOnce {
  const std::uint8_t* marks;
  std::int64_t cycles, tensors;
  DDLBENCH_HOST_DEVICE bool operator()(std::int64_t tensor) const {
    bool ready = false;
    for (std::int64_t cycle = 0; cycle < cycles; ++cycle) ready = ready || marks[cycle * tensors + tensor] == 0;
    return ready;
  }
};

}  // namespace ddlbench::kernels
