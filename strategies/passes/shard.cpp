#include "strategies/passes/shard.h"

#include <fmt/core.h>
#include <algorithm>
#include <numeric>
#include <optional>
#include <set>

#include "base/error.h"
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

/// The units in which tensors are split so that all ops up to the next layer can use the parts in place: whole heads
/// before attention, whole groups before a grouped convolution.
class SplitUnits {
 public:
  explicit SplitUnits(const graph::Graph& forward) : forward_(forward) {
    for (auto node = forward.nodes.rbegin(); node != forward.nodes.rend(); ++node) {
      for (const graph::Signature& signature : node->op->signatures(forward.types_of(node->inputs)))
        add(*node, signature);
    }
  }

  /// Returns the number of elements along a dimension that must stay together. At least those of a channel block do.
  std::int64_t unit(TensorId tensor, int dimension) const {
    const auto found = units_.find({tensor, dimension});
    if (found != units_.end()) return found->second;
    return dimension == 1 ? forward_.tensors[static_cast<std::size_t>(tensor)].type.channel_block : 1;
  }

 private:
  /// Adds the units of a node's inputs: parts of an input correspond in proportion to parts of the outputs.
  void add(const graph::Node& node, const graph::Signature& signature) {
    std::int64_t factor = 1;
    for (std::size_t o = 0; o < node.outputs.size(); ++o) {
      const Placement& made = signature.outputs[o];
      if (made.kind == Placement::Kind::sharded)
        factor = std::lcm(factor, std::lcm(made.unit, unit(node.outputs[o], made.dimension)) / made.unit);
    }
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const Placement& wanted = signature.inputs[i];
      if (wanted.kind != Placement::Kind::sharded || wanted.dimension == 0) continue;
      const std::int64_t known = unit(node.inputs[i], wanted.dimension);
      units_[{node.inputs[i], wanted.dimension}] = std::lcm(known, wanted.unit * factor);
    }
  }

  const graph::Graph& forward_;
  std::map<std::pair<TensorId, int>, std::int64_t> units_;
};

class Sharder {
 public:
  Sharder(const graph::Graph& forward, const std::string& axis, int ranks)
      : forward_(forward),
        split_units_(forward),
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
      if (joined_.count(n) == 0) undo_columns(n);
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
  const graph::Conv2d* convolution(NodeId n) const { return dynamic_cast<const graph::Conv2d*>(node(n).op.get()); }
  bool is_linear(NodeId n) const { return dynamic_cast<const graph::Linear*>(node(n).op.get()) != nullptr; }
  bool is_layer(NodeId n) const { return is_linear(n) || convolution(n) != nullptr; }
  /// Returns the feature dimension of a layer's input and output: the one that its weight's dimensions correspond to.
  int features(NodeId n) const {
    return is_linear(n) ? static_cast<int>(tensor(node(n).inputs[0]).type.shape.size()) - 1 : 1;
  }
  bool is_split(TensorId t) const { return placements_[index(t)].kind == Placement::Kind::sharded; }
  /// Returns whether no other op uses the layer's weight. A shared weight (a tied head's) keeps the placement that the
  /// other op needs.
  bool owns_weight(NodeId n) const { return uses_[index(node(n).inputs[1])] == 1; }

  void place(NodeId n) {
    const TensorId data = node(n).inputs[0];
    const bool splits = is_layer(n) && owns_weight(n);
    if (splits && is_linear(n) && is_split(data) && placements_[index(data)].dimension == features(n))
      return split_rows(n, data);
    const bool makes_parts = splits && split_columns(n);
    if (is_split(data) && !is_layer(n)) split_states(n, data);
    const graph::Signature signature = choose_signature(forward_, n, placements_of(n), rule_);
    for (std::size_t o = 0; o < node(n).outputs.size(); ++o) {
      const TensorId output = node(n).outputs[o];
      placements_[index(output)] = signature.outputs[o];
      if (signature.outputs[o].kind != Placement::Kind::sharded) continue;
      split_by_[index(output)] = makes_parts ? n : split_by_[index(data)];
    }
  }

  /// Returns the placements of `tensors`.
  std::vector<Placement> placements_of(const std::vector<TensorId>& tensors) const {
    std::vector<Placement> inputs;
    for (const TensorId t : tensors)
      inputs.push_back(is_state(t) ? stored_placement(rule_, forward_, t) : placements_[index(t)]);
    return inputs;
  }
  std::vector<Placement> placements_of(NodeId n) const { return placements_of(node(n).inputs); }

  using Placements = std::map<TensorId, Placement>;

  /// Returns placements of the parameters and statistics of `op` with which it runs on its first input as that is
  /// placed; empty where it cannot.
  std::optional<Placements> state_placements(const graph::Op& op, const std::vector<TensorId>& inputs) const {
    std::vector<graph::TensorType> types;
    for (const TensorId t : inputs) types.push_back(tensor(t).type);
    const std::vector<Placement> now = placements_of(inputs);
    for (const graph::Signature& signature : op.signatures(types))
      for (const graph::Signature& wanted : in_units_of(signature, now)) {
        bool fits = wanted.inputs[0] == now[0];
        for (std::size_t i = 0; i < now.size(); ++i) fits = fits && divides(types[i], wanted.inputs[i], rule_.size);
        if (!fits) continue;
        Placements states;
        for (std::size_t i = 0; i < now.size(); ++i)
          if (is_state(inputs[i]) && wanted.inputs[i].kind == Placement::Kind::sharded)
            states[inputs[i]] = wanted.inputs[i];
        return states;
      }
    return std::nullopt;
  }

  /// Splits the parameters (the scales of a norm) of an op that reads a split tensor, and those of its substitute in
  /// evaluation (the running statistics), if both ops can run with them split.
  void split_states(NodeId n, TensorId data) {
    std::optional<Placements> states = state_placements(*node(n).op, node(n).inputs);
    const std::optional<graph::Substitute>& evaluation = node(n).evaluation;
    if (states && evaluation && evaluation->inputs[0] == data) {
      std::optional<Placements> evaluated = state_placements(*evaluation->op, evaluation->inputs);
      if (!evaluated) return;
      states->merge(*evaluated);
    }
    if (!states) return;
    for (const auto& [state, placement] : *states) {
      rule_.parameters[state] = placement;
      split_states_[split_by_[index(data)]].push_back(state);
    }
  }

  /// Splits linear layer `n` by rows. A sum over the ranks follows, which replicates the result.
  void split_rows(NodeId n, TensorId data) {
    rule_.parameters[node(n).inputs[1]] = graph::sharded(inputs_dimension, placements_[index(data)].unit);
    if (!node(n).op->split_epilogue().empty()) rows_.push_back(n);
    joined_.insert(split_by_[index(data)]);
    how_[n] = "rows";
  }

  /// Splits layer `n` by its outputs. Returns whether it did: a convolution with fewer groups than ranks is computed
  /// whole on each rank.
  bool split_columns(NodeId n) {
    const graph::Conv2d* convolution = this->convolution(n);
    const bool in_groups = convolution != nullptr && convolution->geometry.groups > 1;
    const graph::TensorType& output = tensor(node(n).outputs[0]).type;
    const std::int64_t outputs = tensor(node(n).inputs[1]).type.shape[outputs_dimension];
    const std::int64_t own =
        std::lcm(in_groups ? outputs / convolution->geometry.groups : std::int64_t{1}, output.channel_block);
    const std::int64_t wanted = std::lcm(own, split_units_.unit(node(n).outputs[0], features(n)));
    const bool by_columns = try_columns(n, wanted, outputs) || (convolution != nullptr && try_columns(n, own, outputs));
    if (by_columns) {
      how_[n] = in_groups                ? "channels by groups"
                : convolution != nullptr ? "output channels"
                : wanted == 1            ? "columns"
                                         : "columns by heads";
      if (is_linear(n)) columns_.push_back(n);
      return true;
    }
    if (in_groups) return false;
    const std::int64_t count = std::max<std::int64_t>(outputs / (is_linear(n) ? wanted : own), 1);
    throw Unsupported(
        fmt::format("tensor parallelism cannot split the {}{} of layer '{}' over {} ranks; use at most {}", count,
                    count == outputs ? " outputs" : " heads", node(n).name, rule_.size, count));
  }

  bool try_columns(NodeId n, std::int64_t unit, std::int64_t outputs) {
    if (outputs / unit < rule_.size) return false;
    const std::vector<TensorId>& inputs = node(n).inputs;
    const auto before = rule_.parameters;
    for (std::size_t i = 1; i < inputs.size(); ++i)
      rule_.parameters[inputs[i]] = graph::sharded(outputs_dimension, unit);
    if (find_signature(forward_, n, placements_of(n), rule_)) return true;
    rule_.parameters = before;
    return false;
  }

  /// Undoes the split of layer `n` by columns: where no row-split layer uses the parts, they would only be gathered
  /// again.
  void undo_columns(NodeId n) {
    for (const TensorId parameter : node(n).inputs) rule_.parameters.erase(parameter);
    for (const TensorId state : split_states_[n]) rule_.parameters.erase(state);
    how_.erase(n);
  }

  Sharding result() const {
    Sharding result{forward_, {rule_.axis, rule_.size, false, {}}, {}};
    for (const auto& [n, how] : how_) result.choices.push_back(fmt::format("{}: {}", node(n).name, how));
    for (auto row = rows_.rbegin(); row != rows_.rend(); ++row)
      result.graph = graph::split_epilogue(result.graph, *row);
    for (const auto& [parameter, placement] : rule_.parameters)
      for (const TensorId id : result.graph.with_role(tensor(parameter).role))
        if (result.graph.tensors[index(id)].name == tensor(parameter).name) result.rule.parameters[id] = placement;
    return result;
  }

  const graph::Graph& forward_;
  const SplitUnits split_units_;
  AxisRule rule_;
  std::vector<Placement> placements_;
  std::vector<NodeId> split_by_;  ///< by tensor: the layer whose split outputs it carries
  std::vector<int> uses_;         ///< by tensor
  std::map<NodeId, std::vector<TensorId>>
      split_states_;  ///< parameters and statistics split along with a layer's outputs
  std::vector<NodeId> columns_;
  std::set<NodeId> joined_;  ///< column-split layers that a row-split layer follows
  std::vector<NodeId> rows_;
  std::map<NodeId, std::string> how_;
};

}  // namespace

Sharding shard_layers(const graph::Graph& forward, const std::string& axis, int ranks) {
  return Sharder(forward, axis, ranks).run();
}

}  // namespace ddlbench::strategies
