#pragma once

#include <memory>

#include "kernels/device.h"

/// Ops on 16-bit floating-point numbers that use f32 kernels, for devices that compute on the host. The result is what
/// a 16-bit kernel should compute: all arithmetic in f32, and one rounding (to nearest, ties to even) at the end.
namespace ddlbench::kernels {

/// Returns the same op with every 16-bit operand in f32; other operands are unchanged.
Binding widened(const Binding& binding);

/// Returns a kernel for `narrow` that uses a kernel for `widened(narrow)`: widens inputs to the workspace before the
/// launch and rounds outputs from it afterwards. Outputs that accumulate are also widened before the launch. It reads
/// all inputs before it writes an output, so an output may have the address of an input.
std::unique_ptr<Kernel> widen(const Binding& narrow, std::unique_ptr<Kernel> wide, int threads);

}  // namespace ddlbench::kernels
