#include "base/error.h"

#include <fmt/core.h>
#include "graph/ops/attention.h"
#include "graph/ops/embedding.h"
#include "workloads/models/layers/layer_kind.h"

namespace ddlbench::workloads {
namespace {

using graph::TensorId;
using Inputs = std::vector<TensorId>;

graph::Initializer normal(const OptionValues& options) {
  return {graph::Initializer::Kind::normal, 0, static_cast<float>(value_of<double>(options, "deviation"))};
}

Option deviation() {
  return {"deviation", 0.02, "standard deviation of the initial values", 0};
}

TensorId add_embedding(Builder& net, const std::string& name, const Inputs& inputs, const OptionValues& options) {
  const auto rows = value_of<std::int64_t>(options, "rows");
  if (rows < net.classes()) {
    throw InputError(fmt::format("a table of {} rows is too small for the data set's {} tokens: use \"$classes\"", rows,
                                 net.classes()));
  }
  const TensorId table =
      net.parameter(name + ".weight", {rows, value_of<std::int64_t>(options, "features")}, normal(options));
  return net.add(name, std::make_shared<graph::Embedding>(), {inputs[0], table});
}

TensorId add_positions(Builder& net, const std::string& name, const Inputs& inputs, const OptionValues& options) {
  const graph::Shape& x = net.type_of(inputs[0]).shape;
  if (x.size() != 3) {
    throw InputError("positions are added to [batch, positions, features], but the input is " + graph::to_string(x));
  }
  const TensorId table = net.parameter(name + ".weight", {x[1], x[2]}, normal(options));
  return net.add(name, std::make_shared<graph::AddPositions>(), {inputs[0], table});
}

TensorId add_attention(Builder& net, const std::string& name, const Inputs& inputs, const OptionValues& options) {
  const graph::Shape& x = net.type_of(inputs[0]).shape;
  const auto heads = value_of<std::int64_t>(options, "heads");
  if (x.size() != 3 || x[2] % (3 * heads) != 0) {
    throw InputError(fmt::format("attention needs [batch, positions, {} heads x 3 x head size], but the input is {}",
                                 heads, graph::to_string(x)));
  }
  return net.add(name, std::make_shared<graph::Attention>(x[2] / (3 * heads)), {inputs[0]});
}

}  // namespace

std::vector<LayerKind> text_layers() {
  return {{"embedding",
           "looks up a table row for each token",
           {size_option("rows", "vocabulary size"), size_option("features", "features per row"), deviation()},
           1,
           1,
           add_embedding},
          {"positions", "adds a learned row for each position", {deviation()}, 1, 1, add_positions},
          {"attention",
           "causal attention over queries, keys and values of all heads, features [head, 3, head size]",
           {size_option("heads", "number of heads; must divide the features")},
           1,
           1,
           add_attention}};
}

}  // namespace ddlbench::workloads
