#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "failure.h"
#include "workloads/model.h"

namespace ddlbench::workloads {

inline SampleShape images(graph::Shape shape, int classes = 10) {
  return {{std::move(shape), graph::DType::f32}, {}, classes};
}

inline SampleShape text(std::int64_t length, int tokens = 256) {
  SampleShape shape;
  shape.sample = {graph::Shape(1, length), graph::DType::i32};
  shape.label = shape.sample.shape;
  shape.classes = tokens;
  return shape;
}

inline graph::Graph build(const std::string& model, const SampleShape& shape, std::int64_t batch,
                          const OptionValues& options = {}, LossChoice loss = {}) {
  const ModelKind& kind = find_model(model);
  return kind.build({shape, batch, with_defaults(kind.options, options), loss});
}

/// Builds the model for the sample shape that it is designed for.
inline graph::Graph build(const std::string& model, std::int64_t batch, const OptionValues& options = {}) {
  const ModelKind& kind = find_model(model);
  return build(model, kind.default_sample(with_defaults(kind.options, options)), batch, options);
}

/// Returns "NAME SHAPE" of each parameter, in order.
inline std::vector<std::string> parameter_list(const graph::Graph& graph) {
  std::vector<std::string> list;
  for (const graph::TensorId id : graph.with_role(graph::Role::parameter)) {
    const graph::TensorSpec& spec = graph.tensors[static_cast<std::size_t>(id)];
    list.push_back(spec.name + " " + graph::to_string(spec.type.shape));
  }
  return list;
}

inline graph::Initializer initializer_of(const graph::Graph& graph, const std::string& parameter) {
  for (const graph::TensorId id : graph.with_role(graph::Role::parameter)) {
    const graph::TensorSpec& spec = graph.tensors[static_cast<std::size_t>(id)];
    if (spec.name == parameter) return spec.initializer;
  }
  throw ContractError("no parameter " + parameter);
}

/// Returns the type of the first output of `node`.
inline std::string type_behind(const graph::Graph& graph, const std::string& node) {
  for (const graph::Node& each : graph.nodes) {
    if (each.name == node) return to_string(graph.tensors[static_cast<std::size_t>(each.outputs.front())].type);
  }
  throw ContractError("no node " + node);
}

inline std::string rejection(const std::string& model, const SampleShape& shape, const OptionValues& options = {},
                             LossChoice loss = {}) {
  return test::failure_of<InputError>([&] { build(model, shape, 4, options, loss); });
}

}  // namespace ddlbench::workloads
