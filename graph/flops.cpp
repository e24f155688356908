#include "graph/flops.h"

namespace ddlbench::graph {

double flops_of(const Graph& graph, const Node& node) {
  std::vector<TensorType> inputs, outputs;
  for (const TensorId id : node.inputs) inputs.push_back(graph.tensors[static_cast<std::size_t>(id)].type);
  for (const TensorId id : node.outputs) outputs.push_back(graph.tensors[static_cast<std::size_t>(id)].type);
  return node.op->flops(inputs, outputs);
}

double training_flops(const Graph& forward) {
  const Graph training = differentiate(forward);
  double flops = 0;
  for (const Node& node : training.nodes) flops += flops_of(training, node);
  return flops;
}

}  // namespace ddlbench::graph
