#pragma once

#include <functional>
#include <memory>

#include "kernels/cuda/context.h"
#include "kernels/device.h"

namespace ddlbench::kernels::cuda {

/// Returns a kernel for operands of 16 bits that runs one for f32: it converts the inputs to f32 in workspace, and then
/// the outputs to their types. `bind` returns the kernel for f32. The binding must not accumulate.
std::unique_ptr<Kernel> bind_in_f32(const Context& context, const Binding& binding,
                                    const std::function<std::unique_ptr<Kernel>(const Binding&)>& bind);

}  // namespace ddlbench::kernels::cuda
