#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "failure.h"
#include "graph/graph.h"
#include "graph/op.h"

/// Helpers that return what an op infers from given types.
namespace ddlbench::test {

inline graph::TensorType of_dtype(graph::DType dtype, graph::TensorType type) {
  type.dtype = dtype;
  return type;
}

inline graph::TensorType f32(graph::Shape shape) {
  return {std::move(shape), graph::DType::f32};
}

inline const graph::TensorSpec& spec(const graph::Graph& graph, graph::TensorId id) {
  return graph.tensors[static_cast<std::size_t>(id)];
}

inline std::vector<graph::Shape> shapes(const graph::Op& op, const std::vector<graph::TensorType>& inputs) {
  std::vector<graph::Shape> found;
  for (const graph::TensorType& type : op.infer(inputs)) found.push_back(type.shape);
  return found;
}

/// Returns the message of the InputError that infer() throws.
inline std::string rejection(const graph::Op& op, const std::vector<graph::TensorType>& inputs) {
  return failure_of<InputError>([&] { op.infer(inputs); });
}

/// Returns the signatures of `op`, one line each, such as "R S(0) -> S(2)".
inline std::string placements(const graph::Op& op, const std::vector<graph::TensorType>& inputs) {
  std::string text;
  for (const graph::Signature& signature : op.signatures(inputs)) {
    for (const graph::Placement& placement : signature.inputs) text += to_string(placement) + " ";
    text += "->";
    for (const graph::Placement& placement : signature.outputs) text += " " + to_string(placement);
    text += "\n";
  }
  return text;
}

}  // namespace ddlbench::test
