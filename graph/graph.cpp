#include "graph/graph.h"

#include <fmt/core.h>

#include "base/error.h"

namespace ddlbench::graph {

TensorId Graph::add_tensor(TensorSpec spec) {
  try {
    elements(spec.type.shape);
  } catch (const InputError& error) {
    throw InputError(fmt::format("'{}': {}", spec.name, error.what()));
  }
  tensors.push_back(std::move(spec));
  return static_cast<TensorId>(tensors.size()) - 1;
}

std::vector<TensorId> Graph::add(std::string node_name, OpPtr op, std::vector<TensorId> inputs, Phase phase,
                                 NodeId origin) {
  std::vector<TensorType> inferred;
  try {
    inferred = op->infer(types_of(inputs));
  } catch (const InputError& error) {
    throw InputError(fmt::format("layer '{}': {}", node_name, error.what()));
  }
  std::vector<TensorId> outputs;
  for (std::size_t i = 0; i < inferred.size(); ++i) {
    const std::string suffix = inferred.size() == 1 ? "" : fmt::format(".{}", i);
    outputs.push_back(add_tensor({node_name + suffix, std::move(inferred[i]), Role::activation}));
  }
  nodes.push_back({std::move(node_name), std::move(op), std::move(inputs), outputs, phase, origin});
  return outputs;
}

std::vector<TensorType> Graph::types_of(const std::vector<TensorId>& ids) const {
  std::vector<TensorType> types;
  for (const TensorId id : ids) types.push_back(tensors.at(static_cast<std::size_t>(id)).type);
  return types;
}

std::int64_t Graph::batch() const {
  for (const TensorSpec& tensor : tensors)
    if (tensor.role == Role::input) return tensor.type.shape.at(0);
  throw ContractError("graph '" + name + "' has no input");
}

std::vector<TensorId> Graph::with_role(Role role) const {
  std::vector<TensorId> ids;
  for (std::size_t i = 0; i < tensors.size(); ++i)
    if (tensors[i].role == role) ids.push_back(static_cast<TensorId>(i));
  return ids;
}

std::int64_t Graph::parameter_elements() const {
  std::int64_t total = 0;
  for (const TensorId id : with_role(Role::parameter))
    total += elements(tensors[static_cast<std::size_t>(id)].type.shape);
  return total;
}

}  // namespace ddlbench::graph
