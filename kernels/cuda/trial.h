#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "kernels/cuda/context.h"
#include "kernels/device.h"

/// Trying candidates out on the GPU.
namespace ddlbench::kernels::cuda {

struct Entrant {
  std::size_t index = 0;
  std::unique_ptr<Kernel> kernel;
  bool may_hide_nan = false;  ///< it is checked, and out if it does
};

/// The index of the entrant with the shortest launch; nothing where none of them runs. Takes memory for operands and
/// workspace of its own.
std::optional<std::size_t> fastest_of(const Context& context, const Binding& binding, std::vector<Entrant>& entrants,
                                      std::size_t workspace_bytes);

}  // namespace ddlbench::kernels::cuda
