#include "strategies/passes/lower.h"

#include <algorithm>

#include "base/error.h"
#include "strategies/passes/forward_node.h"

namespace ddlbench::strategies {

using graph::Placement;
using graph::Role;

namespace {

/// Returns whether another axis splits the same dimension as `axis`.
bool is_split_with_another(const Layout& layout, std::size_t axis) {
  if (layout[axis].kind != Placement::Kind::sharded) return false;
  const auto same = [&](const Placement& other) {
    return other.kind == Placement::Kind::sharded && other.dimension == layout[axis].dimension;
  };
  return std::count_if(layout.begin(), layout.end(), same) > 1;
}

class Lowering {
 public:
  Lowering(graph::Graph graph, std::vector<AxisRule> rules, const std::vector<int>& stage_of_node)
      : stage_of_node_(stage_of_node) {
    result_.graph = std::move(graph);
    result_.rules = std::move(rules);
  }

  ShardedGraph run() && {
    const graph::Graph& graph = result_.graph;
    current_.resize(graph.tensors.size());
    std::vector<bool> produced(graph.tensors.size(), false);
    for (const graph::Node& node : graph.nodes)
      for (const auto output : node.outputs) produced[static_cast<std::size_t>(output)] = true;
    for (std::size_t t = 0; t < graph.tensors.size(); ++t) {
      if (produced[t]) continue;
      Layout layout;
      for (const AxisRule& rule : result_.rules)
        layout.push_back(stored_placement(rule, graph, static_cast<graph::TensorId>(t)));
      add_value(static_cast<graph::TensorId>(t), std::move(layout), graph::absent);
    }
    for (std::size_t n = 0; n < graph.nodes.size(); ++n) place(static_cast<graph::NodeId>(n));
    convert_gradients();
    hoist();
    for (const std::vector<ValueId>& forms : current_)
      result_.first_values.push_back(forms.empty() ? graph::absent : forms.front());
    return std::move(result_);
  }

 private:
  ValueId add_value(graph::TensorId tensor, Layout layout, int producer) {
    result_.values.push_back({tensor, std::move(layout), producer, {}});
    const auto id = static_cast<ValueId>(result_.values.size()) - 1;
    current_[static_cast<std::size_t>(tensor)].push_back(id);
    return id;
  }

  Value& value(ValueId id) { return result_.values[static_cast<std::size_t>(id)]; }

  int add_step(Step step) {
    const auto id = static_cast<int>(result_.steps.size());
    for (const ValueId input : step.inputs) value(input).consumers.push_back(id);
    result_.steps.push_back(std::move(step));
    return id;
  }

  /// Returns the value of `tensor` in layout `wanted`; adds conversions for node `for_node` where there is none yet.
  /// Each conversion is made once and then shared.
  ValueId in_layout(graph::TensorId tensor, const Layout& wanted, graph::NodeId for_node) {
    if (const ValueId form = find_form(tensor, wanted, for_node); form != graph::absent) return form;
    ValueId at = current_[static_cast<std::size_t>(tensor)].front();
    const auto set = [&](std::size_t axis, const Placement& placement) {
      Layout next = value(at).layout;
      if (next[axis] == placement) return;
      next[axis] = placement;
      at = convert(at, next, static_cast<int>(axis), for_node);
    };
    // Where two axes split one dimension, the parts of the inner axis are joined before those of the outer one.
    for (std::size_t axis = wanted.size(); axis-- > 0;)
      if (is_split_with_another(value(at).layout, axis) && value(at).layout[axis] != wanted[axis])
        set(axis, graph::replicated());
    for (std::size_t axis = 0; axis < wanted.size(); ++axis) {
      if (value(at).layout[axis].kind == Placement::Kind::sharded && wanted[axis].kind == Placement::Kind::sharded &&
          value(at).layout[axis] != wanted[axis])
        set(axis, graph::replicated());
      set(axis, wanted[axis]);
    }
    return at;
  }

  int stage_of(graph::NodeId id) const {
    if (stage_of_node_.empty()) return 0;
    return stage_of_node_[static_cast<std::size_t>(forward_node_of(result_.graph, id))];
  }

  /// Returns the value of `tensor` in layout `wanted` that `for_node` can read, if there is one: first of its own
  /// stage, where a conversion may move to an earlier phase. What no node produces, such as a sample, is on every rank,
  /// so each stage converts it for itself. So it does where another stage has made the form in a later phase or in
  /// weight halves, which no other stage waits for.
  ValueId find_form(graph::TensorId tensor, const Layout& wanted, graph::NodeId for_node) {
    const std::vector<ValueId>& forms = current_[static_cast<std::size_t>(tensor)];
    const bool is_source = value(forms.front()).producer == graph::absent;
    const graph::Phase phase = result_.graph.nodes[static_cast<std::size_t>(for_node)].phase;
    ValueId shared = graph::absent;
    for (const ValueId form : forms) {
      if (value(form).layout != wanted) continue;
      const int maker = value(form).producer;
      if (maker == graph::absent) return form;
      const Step& step = result_.steps[static_cast<std::size_t>(maker)];
      if (stage_of(step.node) == stage_of(for_node)) {
        run_in(phase, form);
        return form;
      }
      const bool is_made_for_user = step.kind == Step::Kind::all_gather || step.kind == Step::Kind::slice;
      const bool is_late = step.phase > phase || step.phase == graph::Phase::backward_weight;
      if (shared == graph::absent && !is_source && !(is_made_for_user && is_late)) shared = form;
    }
    return shared;
  }

  /// Moves the conversions that make `form`, on all stages, to `phase`, if it is earlier.
  void run_in(graph::Phase phase, ValueId form) {
    for (int maker = value(form).producer; maker != graph::absent; maker = value(form).producer) {
      Step& step = result_.steps[static_cast<std::size_t>(maker)];
      if (step.kind == Step::Kind::op || step.phase <= phase) return;
      step.phase = phase;
      form = step.inputs.front();
    }
  }

  ValueId convert(ValueId from, const Layout& to, int axis, graph::NodeId for_node) {
    const Value source = value(from);
    if (const ValueId form = find_form(source.tensor, to, for_node); form != graph::absent) return form;
    const Placement before = source.layout[static_cast<std::size_t>(axis)];
    const Placement after = to[static_cast<std::size_t>(axis)];
    Step step;
    step.kind = before.is_partial()
                    ? (after.kind == Placement::Kind::sharded ? Step::Kind::reduce_scatter : Step::Kind::all_reduce)
                : before.kind == Placement::Kind::sharded ? Step::Kind::all_gather
                                                          : Step::Kind::slice;
    step.name = result_.graph.tensors[static_cast<std::size_t>(source.tensor)].name;
    // A partial value is reduced where it is produced; any other is converted where it is used.
    const bool at_producer = before.is_partial() && source.producer != graph::absent;
    step.node = at_producer ? result_.steps[static_cast<std::size_t>(source.producer)].node : for_node;
    step.phase = at_producer ? result_.steps[static_cast<std::size_t>(source.producer)].phase
                             : result_.graph.nodes[static_cast<std::size_t>(step.node)].phase;
    step.inputs = {from};
    step.axis = axis;
    const int id = add_step(std::move(step));
    const ValueId result = add_value(source.tensor, to, id);
    result_.steps[static_cast<std::size_t>(id)].outputs = {result};
    return result;
  }

  void place(graph::NodeId id) {
    const graph::Node node = result_.graph.nodes[static_cast<std::size_t>(id)];
    std::vector<Layout> inputs(node.inputs.size());
    std::vector<Layout> outputs(node.outputs.size());
    for (std::size_t axis = 0; axis < result_.rules.size(); ++axis) {
      std::vector<Placement> now;
      for (const auto input : node.inputs)
        now.push_back(value(current_[static_cast<std::size_t>(input)].front()).layout[axis]);
      const graph::Signature signature = choose_signature(result_.graph, id, now, result_.rules[axis]);
      for (std::size_t i = 0; i < inputs.size(); ++i) inputs[i].push_back(signature.inputs[i]);
      for (std::size_t o = 0; o < outputs.size(); ++o) outputs[o].push_back(signature.outputs[o]);
    }
    Step step;
    step.name = node.name;
    step.node = id;
    step.phase = node.phase;
    for (std::size_t i = 0; i < inputs.size(); ++i) step.inputs.push_back(in_layout(node.inputs[i], inputs[i], id));
    const int made = add_step(std::move(step));
    for (std::size_t o = 0; o < outputs.size(); ++o) {
      const ValueId output = add_value(node.outputs[o], std::move(outputs[o]), made);
      result_.steps[static_cast<std::size_t>(made)].outputs.push_back(output);
    }
  }

  void convert_gradients() {
    result_.gradient_of.assign(result_.graph.tensors.size(), graph::absent);
    if (result_.graph.gradients.empty()) return;
    for (const auto parameter : result_.graph.with_role(Role::parameter)) {
      const auto gradient = result_.graph.gradients[static_cast<std::size_t>(parameter)];
      const Layout resting = value(current_[static_cast<std::size_t>(parameter)].front()).layout;
      const ValueId made = current_[static_cast<std::size_t>(gradient)].front();
      Layout wanted = resting;
      for (std::size_t axis = 0; axis < wanted.size(); ++axis) {
        const Placement now = value(made).layout[axis];
        if (now.is_partial() && wanted[axis] == graph::replicated()) wanted[axis] = now;
      }
      result_.gradient_of[static_cast<std::size_t>(parameter)] =
          in_layout(gradient, wanted, result_.steps[static_cast<std::size_t>(value(made).producer)].node);
    }
  }

  /// Moves each reduction of a partial value directly after the step that produced it, so that the steps in between
  /// (mostly weight gradients) overlap with it.
  void hoist() {
    const std::size_t count = result_.steps.size();
    std::vector<std::size_t> anchor(count), order(count), moved_to(count);
    for (std::size_t id = 0; id < count; ++id) {
      const Step& step = result_.steps[id];
      const Value* source = step.kind == Step::Kind::op ? nullptr : &value(step.inputs[0]);
      const bool partial = source != nullptr && source->producer != graph::absent &&
                           source->layout[static_cast<std::size_t>(step.axis)].is_partial();
      anchor[id] = partial ? anchor[static_cast<std::size_t>(source->producer)] : id;
      order[id] = id;
    }
    std::stable_sort(order.begin(), order.end(),
                     [&anchor](std::size_t a, std::size_t b) { return anchor[a] < anchor[b]; });
    std::vector<Step> steps;
    for (std::size_t i = 0; i < count; ++i) {
      moved_to[order[i]] = i;
      steps.push_back(std::move(result_.steps[order[i]]));
    }
    result_.steps = std::move(steps);
    const auto renumber = [&moved_to](int& step) {
      if (step != graph::absent) step = static_cast<int>(moved_to[static_cast<std::size_t>(step)]);
    };
    for (Value& v : result_.values) {
      renumber(v.producer);
      for (int& consumer : v.consumers) renumber(consumer);
      std::sort(v.consumers.begin(), v.consumers.end());
    }
  }

  ShardedGraph result_;
  const std::vector<int>& stage_of_node_;
  std::vector<std::vector<ValueId>> current_;  ///< by tensor: its values so far; the first is as produced
};

}  // namespace

bool ShardedGraph::is_source(ValueId id, graph::Role role) const {
  const Value& value = values[static_cast<std::size_t>(id)];
  return value.producer == graph::absent && graph.tensors[static_cast<std::size_t>(value.tensor)].role == role;
}

ValueId ShardedGraph::source_of(graph::TensorId tensor) const {
  const ValueId first = first_value(tensor);
  require(values[static_cast<std::size_t>(first)].producer == graph::absent, "a step produces the tensor");
  return first;
}

ValueId ShardedGraph::first_value(graph::TensorId tensor) const {
  const ValueId first = first_values.at(static_cast<std::size_t>(tensor));
  require(first != graph::absent, "the graph lacks the tensor");
  return first;
}

std::vector<std::string> ShardedGraph::partial_axes(ValueId id) const {
  std::vector<std::string> axes;
  const Layout& layout = values[static_cast<std::size_t>(id)].layout;
  for (std::size_t axis = 0; axis < rules.size(); ++axis) {
    require(layout[axis].kind != Placement::Kind::partial_max,
            "a gradient, statistic or metric cannot be a partial maximum: these are summed");
    if (layout[axis].is_partial()) axes.push_back(rules[axis].axis);
  }
  return axes;
}

graph::Extent ShardedGraph::part(std::int64_t size, std::int64_t unit, std::size_t axis, int index,
                                 const std::vector<int>& coordinates) const {
  const AxisRule& rule = rules[axis];
  if (rule.shares.empty()) return graph::part_of(size, rule.size, index, unit);
  int first = 0;
  for (std::size_t outer = 0; outer < axis; ++outer)
    if (rules[outer].shards_batch) first = first * rules[outer].size + coordinates[outer];
  const auto shares = rule.shares.begin() + first * rule.size;
  return graph::part_of(size, std::vector<std::int64_t>(shares, shares + rule.size), index, unit);
}

std::vector<graph::Extent> ShardedGraph::box(ValueId id, const std::vector<int>& coordinates) const {
  const Value& v = values[static_cast<std::size_t>(id)];
  std::vector<graph::Extent> extents;
  for (const auto size : graph.tensors[static_cast<std::size_t>(v.tensor)].type.shape) extents.push_back({0, size});
  for (std::size_t axis = 0; axis < rules.size(); ++axis) {
    const Placement& placement = v.layout[axis];
    if (placement.kind != Placement::Kind::sharded) continue;
    graph::Extent& extent = extents[static_cast<std::size_t>(placement.dimension)];
    const graph::Extent own = part(extent.size(), placement.unit, axis, coordinates[axis], coordinates);
    extent = {extent.begin + own.begin, extent.begin + own.end};
  }
  return extents;
}

graph::TensorType ShardedGraph::local_type(ValueId id, const std::vector<int>& coordinates) const {
  graph::TensorType type = graph.tensors[static_cast<std::size_t>(values[static_cast<std::size_t>(id)].tensor)].type;
  const std::vector<graph::Extent> extents = box(id, coordinates);
  for (std::size_t d = 0; d < extents.size(); ++d) type.shape[d] = extents[d].size();
  return type;
}

ShardedGraph lower(graph::Graph graph, std::vector<AxisRule> rules, const std::vector<int>& stage_of_node) {
  return Lowering(std::move(graph), std::move(rules), stage_of_node).run();
}

}  // namespace ddlbench::strategies
