#include "graph/ops/dropout.h"

#include <fmt/core.h>

#include "base/error.h"
#include "graph/attributes.h"
#include "graph/graph.h"
#include "graph/ops/cast.h"

namespace ddlbench::graph {
namespace {

TensorId samples_of(Graph& graph) {
  const std::vector<TensorId> found = graph.with_role(Role::sample);
  if (!found.empty()) return found.front();
  return graph.add_tensor({"samples", {{graph.batch()}, DType::i32}, Role::sample});
}

}  // namespace

std::string Dropout::attributes() const {
  const std::string whole = attribute_text("rate", rate, "layer", layer);
  if (part.size == 0) return whole;
  return fmt::format("{} {}", whole, attribute_text("dimension", part.dimension, "begin", part.begin, "of", part.size));
}

std::vector<TensorType> Dropout::infer(Types inputs) const {
  require(inputs.size() == 2, "dropout: wrong number of inputs");
  if (!(rate >= 0 && rate < 1))
    throw InputError(fmt::format("dropout: the rate must be at least 0 and below 1, but is {}", rate));
  const Shape& x = inputs[0].shape;
  if (x.empty() || inputs[1] != TensorType{{x[0]}, DType::i32})
    throw InputError(fmt::format("dropout: {} must have one i32 sample index for each sample of {}",
                                 to_string(inputs[1]), to_string(inputs[0])));
  return {inputs[0]};
}

std::vector<Signature> Dropout::signatures(Types inputs) const {
  std::vector<Signature> all{{{sharded(0), sharded(0)}, {sharded(0)}}};
  for (int dimension = 1; dimension < static_cast<int>(inputs[0].shape.size()); ++dimension)
    all.push_back({{sharded(dimension), replicated()}, {sharded(dimension)}});
  return all;
}

void Dropout::differentiate(Differentiation& d) const {
  d.backward_input(std::make_shared<Dropout>(*this), {d.output_gradient(0), d.input(1)});
}

OpPtr Dropout::at(std::span<const Extent> box, const Shape& shape) const {
  require(box.size() == shape.size(), "dropout: a box and its tensor have different numbers of dimensions");
  DropoutPart where;
  for (std::size_t d = 1; d < shape.size(); ++d) {
    if (box[d] == Extent{0, shape[d]}) continue;
    require(where.size == 0, "dropout: a sample is split along two dimensions");
    where = {static_cast<int>(d), box[d].begin, shape[d]};
  }
  if (where.size == 0) return {};
  return std::make_shared<Dropout>(rate, layer, where);
}

TensorId add_dropout(Graph& graph, const std::string& name, TensorId x, float rate) {
  if (rate == 0) return x;
  const TensorId y = graph.add(name, std::make_shared<Dropout>(rate, name), {x, samples_of(graph)}).front();
  graph.nodes.back().evaluation = Substitute{std::make_shared<Identity>(), {x}};
  return y;
}

}  // namespace ddlbench::graph
