#include "strategies/passes/shard.h"

#include <numeric>
#include <set>

#include "graph/error.h"
#include "graph/ops/attention.h"
#include "graph/ops/conv2d.h"
#include "graph/ops/linear.h"
#include "strategies/strategy.h"

namespace ddlbench::strategies {

using graph::NodeId;
using graph::Placement;
using graph::TensorId;

namespace {

constexpr int outputs_dimension = 0;  ///< of a layer's weight
constexpr int inputs_dimension = 1;

/// In what portions the outputs of a layer may be split.
struct Portions {
  std::int64_t unit = 1;  ///< outputs that belong together
  std::string noun = "outputs";
};

class Sharder {
 public:
  Sharder(const graph::Graph& forward, const std::string& axis, int ranks)
      : forward_(forward),
        rule_{axis, ranks, false, {}},
        placements_(forward.tensors.size(), graph::replicated()),
        split_by_(forward.tensors.size(), graph::absent),
        uses_(forward.tensors.size(), 0) {
    for (const graph::Node& node : forward.nodes)
      for (const TensorId input : node.inputs) ++uses_[index(input)];
  }

  Sharding run() && {
    for (NodeId n = 0; n < static_cast<NodeId>(forward_.nodes.size()); ++n) place(n);
    for (const NodeId n : columns_)
      if (joined_.count(n) == 0) keep_whole(n);
    if (rule_.parameters.empty())
      throw Unsupported("model '" + forward_.name + "' has no layers that tensor parallelism can split");
    return result();
  }

 private:
  static std::size_t index(int id) { return static_cast<std::size_t>(id); }
  const graph::Node& node(NodeId n) const { return forward_.nodes[index(n)]; }
  const graph::TensorSpec& tensor(TensorId t) const { return forward_.tensors[index(t)]; }

  bool is_state(TensorId t) const {
    return tensor(t).role == graph::Role::parameter || tensor(t).role == graph::Role::statistic;
  }
  bool is_linear(NodeId n) const { return dynamic_cast<const graph::Linear*>(node(n).op.get()) != nullptr; }
  bool is_convolution(NodeId n) const { return dynamic_cast<const graph::Conv2d*>(node(n).op.get()) != nullptr; }
  /// A weight that another op uses too (a tied head's) lies as that one needs it.
  bool owns_weight(NodeId n) const { return uses_[index(node(n).inputs[1])] == 1; }

  void place(NodeId n) {
    const TensorId data = node(n).inputs[0];
    const bool split_input = placements_[index(data)].kind == Placement::Kind::sharded;
    if (is_linear(n) && owns_weight(n) && split_input) return split_rows(n, data);
    if ((is_linear(n) || is_convolution(n)) && owns_weight(n)) split_columns(n);
    if (split_input && !is_linear(n) && !is_convolution(n)) split_beside(n, data);
    const graph::Signature signature = choose_signature(forward_, n, lying(n), rule_);
    for (std::size_t o = 0; o < node(n).outputs.size(); ++o) {
      const TensorId output = node(n).outputs[o];
      placements_[index(output)] = signature.outputs[o];
      if (signature.outputs[o].kind != Placement::Kind::sharded) continue;
      split_by_[index(output)] = columns_.empty() || columns_.back() != n ? split_by_[index(data)] : n;
      for (const graph::Observation& observation : forward_.observations)
        if (observation.observed == output) split_along(observation.statistic, signature.outputs[o], data);
    }
  }

  /// How the inputs of a node lie.
  std::vector<Placement> lying(NodeId n) const {
    std::vector<Placement> inputs;
    for (const TensorId t : node(n).inputs)
      inputs.push_back(is_state(t) ? resting_placement(rule_, forward_, t) : placements_[index(t)]);
    return inputs;
  }

  /// What an op has beside a split tensor (the scales of a norm) is split along with it, where the op can run so.
  void split_beside(NodeId n, TensorId data) {
    const std::vector<Placement> now = lying(n);
    std::vector<graph::TensorType> types;
    for (const TensorId t : node(n).inputs) types.push_back(tensor(t).type);
    for (const graph::Signature& signature : node(n).op->signatures(types)) {
      const graph::Signature wanted = in_units_of(signature, now);
      bool fits = true;
      for (std::size_t i = 0; i < now.size(); ++i)
        fits = fits && (is_state(node(n).inputs[i]) || wanted.inputs[i] == now[i]);
      if (!fits) continue;
      for (std::size_t i = 0; i < now.size(); ++i)
        if (is_state(node(n).inputs[i])) split_along(node(n).inputs[i], wanted.inputs[i], data);
      return;
    }
  }

  void split_along(TensorId state, Placement placement, TensorId data) {
    if (placement.kind != Placement::Kind::sharded) return;
    rule_.parameters[state] = placement;
    beside_[split_by_[index(data)]].push_back(state);
  }

  /// Its result is replicated: the sum over the ranks follows.
  void split_rows(NodeId n, TensorId data) {
    rule_.parameters[node(n).inputs[1]] = graph::sharded(inputs_dimension, placements_[index(data)].unit);
    if (!node(n).op->split_epilogue().empty()) rows_.push_back(n);
    joined_.insert(split_by_[index(data)]);
    how_[n] = "rows";
  }

  void split_columns(NodeId n) {
    const Portions portions = portions_of(node(n).outputs[0]);
    const std::int64_t count = tensor(node(n).inputs[1]).type.shape[0] / portions.unit;
    if (count < rule_.size)
      throw Unsupported("tensor parallelism cannot split the " + std::to_string(count) + " " + portions.noun +
                        " of layer '" + node(n).name + "' over " + std::to_string(rule_.size) + " ranks; use at most " +
                        std::to_string(count));
    for (std::size_t i = 1; i < node(n).inputs.size(); ++i)
      rule_.parameters[node(n).inputs[i]] = graph::sharded(outputs_dimension, portions.unit);
    how_[n] = is_convolution(n) ? "output channels" : portions.unit == 1 ? "columns" : "columns by " + portions.noun;
    if (is_linear(n)) columns_.push_back(n);
  }

  /// What the ops that take `output` split it by, as their signatures say.
  Portions portions_of(TensorId output) const {
    Portions portions;
    for (const graph::Node& user : forward_.nodes)
      for (std::size_t i = 0; i < user.inputs.size(); ++i) {
        if (user.inputs[i] != output) continue;
        std::vector<graph::TensorType> types;
        for (const TensorId t : user.inputs) types.push_back(tensor(t).type);
        for (const graph::Signature& signature : user.op->signatures(types)) {
          const Placement wanted = signature.inputs[i];
          if (wanted.kind != Placement::Kind::sharded || wanted.dimension == 0) continue;
          portions.unit = std::lcm(portions.unit, wanted.unit);
        }
        if (dynamic_cast<const graph::Attention*>(user.op.get()) != nullptr) portions.noun = "heads";
      }
    return portions;
  }

  /// Split outputs that no layer takes on would only be gathered again.
  void keep_whole(NodeId n) {
    for (const TensorId parameter : node(n).inputs) rule_.parameters.erase(parameter);
    for (const TensorId state : beside_[n]) rule_.parameters.erase(state);
    how_.erase(n);
  }

  Sharding result() const {
    Sharding result{forward_, {rule_.axis, rule_.size, false, {}}, {}};
    for (const auto& [n, how] : how_) result.choices.push_back(node(n).name + ": " + how);
    for (auto row = rows_.rbegin(); row != rows_.rend(); ++row)
      result.graph = graph::split_epilogue(result.graph, *row);
    for (const auto& [parameter, placement] : rule_.parameters)
      for (const TensorId id : result.graph.with_role(tensor(parameter).role))
        if (result.graph.tensors[index(id)].name == tensor(parameter).name) result.rule.parameters[id] = placement;
    return result;
  }

  const graph::Graph& forward_;
  AxisRule rule_;
  std::vector<Placement> placements_;
  std::vector<NodeId> split_by_;                    ///< per tensor: the layer split by columns whose outputs it carries
  std::vector<int> uses_;                           ///< per tensor
  std::map<NodeId, std::vector<TensorId>> beside_;  ///< what is split along with the outputs of a layer
  std::vector<NodeId> columns_;
  std::set<NodeId> joined_;  ///< columns that some rows follow
  std::vector<NodeId> rows_;
  std::map<NodeId, std::string> how_;
};

}  // namespace

Sharding shard_layers(const graph::Graph& forward, const std::string& axis, int ranks) {
  return Sharder(forward, axis, ranks).run();
}

}  // namespace ddlbench::strategies
