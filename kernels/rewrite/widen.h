#pragma once

#include <memory>

#include "kernels/device.h"

/// Ops on floating-point numbers of 16 bits by kernels of f32, for devices that compute on the host. So they compute
/// what a kernel of 16 bits should: everything in f32, and one rounding (to the nearest, ties to even) at the end.
namespace ddlbench::kernels {

/// The same op with every operand of 16 bits in f32; other operands are as they were.
Binding widened(const Binding& binding);

/// A kernel of `narrow` by one of `widened(narrow)`: inputs are widened into the workspace, outputs rounded from it
/// after the launch; outputs that it adds to are widened before. All inputs are read before an output is
/// written, so an output may lie at an input's address.
std::unique_ptr<Kernel> widen(const Binding& narrow, std::unique_ptr<Kernel> wide, int threads);

}  // namespace ddlbench::kernels
