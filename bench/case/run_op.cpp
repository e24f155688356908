#include "bench/case/run_op.h"

#include "graph/half.h"

namespace ddlbench::bench {
namespace {

using Bytes = std::vector<std::byte>;

template <class Number>
Bytes bytes_of(const std::vector<float>& values) {
  Bytes bytes(values.size() * sizeof(Number));
  auto* const to = reinterpret_cast<Number*>(bytes.data());
  for (std::size_t i = 0; i < values.size(); ++i) to[i] = graph::from_f32<Number>(values[i]);
  return bytes;
}

}  // namespace

std::vector<HostTensor> run_op(kernels::Device& device, const graph::OpPtr& op, const std::vector<HostTensor>& inputs,
                               const graph::Scalars& scalars) {
  kernels::Binding binding;
  binding.op = op;
  std::vector<const void*> sources;
  for (const HostTensor& input : inputs) {
    binding.inputs.push_back(input.type);
    sources.push_back(input.bytes.data());
  }
  binding.outputs = op->infer(binding.inputs);
  std::vector<HostTensor> outputs;
  for (const graph::TensorType& type : binding.outputs) outputs.push_back({type, Bytes(graph::bytes(type))});
  std::vector<void*> targets;
  for (HostTensor& output : outputs) targets.push_back(output.bytes.data());
  const std::unique_ptr<kernels::Kernel> kernel = device.bind(binding);
  Bytes workspace(kernel->workspace_bytes());
  kernel->launch({sources.data(), targets.data(), workspace.data(), &scalars});
  return outputs;
}

HostTensor tensor_of(const std::vector<float>& values, graph::DType dtype) {
  const graph::TensorType type{{static_cast<std::int64_t>(values.size())}, dtype};
  if (dtype == graph::DType::bf16) return {type, bytes_of<graph::Bfloat16>(values)};
  if (dtype == graph::DType::f16) return {type, bytes_of<graph::Float16>(values)};
  return {type, bytes_of<float>(values)};
}

std::vector<float> floats_of(const HostTensor& tensor) {
  const auto* const values = reinterpret_cast<const float*>(tensor.bytes.data());
  return {values, values + tensor.bytes.size() / sizeof(float)};
}

}  // namespace ddlbench::bench
