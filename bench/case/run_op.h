#pragma once

#include <cstddef>
#include <vector>

#include "graph/scalars.h"
#include "kernels/device.h"

/// Single ops on a device whose memory is the host's.
namespace ddlbench::bench {

/// A tensor in host memory.
struct HostTensor {
  graph::TensorType type;
  std::vector<std::byte> bytes;
};

/// Runs an op once and returns its outputs.
std::vector<HostTensor> run_op(kernels::Device& device, const graph::OpPtr& op, const std::vector<HostTensor>& inputs,
                               const graph::Scalars& scalars);

/// Returns a flat tensor of these values, rounded to `dtype`.
HostTensor tensor_of(const std::vector<float>& values, graph::DType dtype);

/// Returns the values of an f32 tensor.
std::vector<float> floats_of(const HostTensor& tensor);

}  // namespace ddlbench::bench
