#pragma once

#include <span>

#include "kernels/device.h"

/// Copies between floating-point numbers of any type in device memory and f32 on the host. The copy runs after all work
/// on the compute stream and is complete on return. Throws ContractError for integer types.
namespace ddlbench::runtime {

void read_floats(kernels::Device& device, graph::DType dtype, const void* memory, std::span<float> host);

/// Rounds to nearest, ties to even.
void write_floats(kernels::Device& device, graph::DType dtype, void* memory, std::span<const float> host);

}  // namespace ddlbench::runtime
