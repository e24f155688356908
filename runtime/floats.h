#pragma once

#include <span>

#include "kernels/device.h"

/// Floating-point numbers of any type in device memory, f32 on the host. After all that is on the compute stream, and
/// done on return. Throws ContractError for a type of other numbers.
namespace ddlbench::runtime {

void read_floats(kernels::Device& device, graph::DType dtype, const void* memory, std::span<float> host);

/// Rounded to the nearest, ties to even.
void write_floats(kernels::Device& device, graph::DType dtype, void* memory, std::span<const float> host);

}  // namespace ddlbench::runtime
