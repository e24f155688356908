#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>

#include "kernels/device.h"

/// Ops on operands that their kernel does not take as they are, on devices that compute on the host.
namespace ddlbench::kernels {

/// How an operand is brought into the form that a kernel takes, and back.
struct Rewriting {
  std::size_t bytes = 0;  ///< in that form
  std::function<void(const void* operand, void* rewritten)> there;
  std::function<void(const void* rewritten, void* operand)> back;
};

/// Of an operand of this type; nothing where the kernel takes it as it is.
using RewritingOf = std::function<std::optional<Rewriting>(const graph::TensorType&)>;

/// A kernel of `binding` by one that takes its operands rewritten: inputs are rewritten into the workspace, outputs
/// from it after the launch; outputs that it adds to are rewritten before, too. All inputs are read
/// before an output is written, so an output may lie at an input's address.
std::unique_ptr<Kernel> on_rewritten(const Binding& binding, std::unique_ptr<Kernel> kernel,
                                     const RewritingOf& rewriting);

}  // namespace ddlbench::kernels
