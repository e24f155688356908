#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>

#include "kernels/device.h"

/// Ops on operands in a form that their kernel does not support.
namespace ddlbench::kernels {

/// Converts an operand to the form that a kernel supports, and the result to the operand's own form.
struct Rewriting {
  std::size_t bytes = 0;  ///< size in the form that the kernel supports
  std::function<void(const void* operand, void* rewritten)> convert;
  std::function<void(const void* rewritten, void* operand)> restore;
};

/// Returns the conversion of an operand of this type, or nothing if the kernel supports it unchanged.
using RewritingOf = std::function<std::optional<Rewriting>(const graph::TensorType&)>;

/// Returns a kernel for `binding` that uses a kernel for converted operands: converts inputs to the workspace before
/// the launch and outputs from it afterwards. Outputs that accumulate are also converted before the launch. It reads
/// all inputs before it writes an output, so an output may have the address of an input.
std::unique_ptr<Kernel> on_rewritten(const Binding& binding, std::unique_ptr<Kernel> kernel,
                                     const RewritingOf& rewriting);

}  // namespace ddlbench::kernels
