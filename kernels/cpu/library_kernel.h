#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "kernels/cpu/context.h"
#include "kernels/cpu/onednn.h"
#include "kernels/device.h"

namespace ddlbench::kernels::cpu {

/// One way to compute an op with the library; nothing where the library has no such primitive.
using Candidate = std::function<std::optional<onednn::Prepared>()>;

/// The fastest of `candidates` as timed now, or in this process before. Operands that a primitive wants
/// in another layout are rewritten in the workspace.
std::unique_ptr<Kernel> choose_kernel(const Context& context, const Binding& binding, double flops,
                                      const std::vector<Candidate>& candidates);

}  // namespace ddlbench::kernels::cpu
