#include "strategies/passes/convert.h"

#include "base/error.h"
#include "graph/ops/shape.h"
#include "strategies/strategy.h"

namespace ddlbench::strategies {

using program::Operand;

namespace {

/// Returns the number of elements of each part of `whole` under `placement` along the axis of rule `axis`.
std::vector<std::int64_t> part_elements(const ShardedGraph& sharded, const graph::TensorType& whole,
                                        const graph::Placement& placement, std::size_t axis,
                                        const std::vector<int>& coordinates) {
  const auto d = static_cast<std::size_t>(placement.dimension);
  const std::int64_t others = whole.shape[d] == 0 ? 0 : graph::elements(whole.shape) / whole.shape[d];
  std::vector<std::int64_t> counts;
  for (int i = 0; i < sharded.rules[axis].size; ++i)
    counts.push_back(sharded.part(whole.shape[d], placement.unit, axis, i, coordinates).size() * others);
  return counts;
}

}  // namespace

std::vector<NamedAction> conversion(const ShardedGraph& sharded, const Step& step, const RolePosition& position,
                                    int microbatch, Instances& instances) {
  const auto axis = static_cast<std::size_t>(step.axis);
  const AxisRule& rule = sharded.rules[axis];
  const std::vector<int> coordinates = position.on(sharded.rules);
  const ValueId from = step.inputs[0];
  const ValueId to = step.outputs[0];
  const Operand input = instances.at(from, microbatch);
  const graph::Placement before = sharded.values[static_cast<std::size_t>(from)].layout[axis];
  const graph::Placement after = sharded.values[static_cast<std::size_t>(to)].layout[axis];

  program::CollectiveCall call;
  call.group = {0, {rule.axis}, {}};
  if (before.kind == graph::Placement::Kind::partial_max) call.reduction = graph::Reduction::max;
  switch (step.kind) {
    case Step::Kind::op:
      break;
    case Step::Kind::slice: {
      if (!rule.shares.empty())
        throw Unsupported("every rank computes '" + step.name +
                          "', which cannot be divided into uneven shares; leave out speeds");
      auto op = std::make_shared<graph::Slice>(after.dimension, rule.size, coordinates[axis], after.unit);
      return {{"slice " + step.name, program::Compute{{std::move(op)}, {input}, {instances.make(to, microbatch)}}}};
    }
    case Step::Kind::all_reduce: {
      const bool sole_use = sharded.values[static_cast<std::size_t>(from)].consumers.size() == 1;
      call.input = input;
      call.output = sole_use ? instances.alias(to, from, microbatch) : instances.make(to, microbatch);
      return {{"all_reduce " + step.name, std::move(call)}};
    }
    case Step::Kind::reduce_scatter: {
      call.kind = graph::Collective::reduce_scatter;
      call.counts = part_elements(sharded, input.type, after, axis, coordinates);
      call.output = instances.make(to, microbatch);
      if (after.dimension == 0) {
        call.input = input;
        return {{"reduce_scatter " + step.name, std::move(call)}};
      }
      call.input = instances.staging(step.name + ".parts", input.type);
      auto op = std::make_shared<graph::SplitParts>(after.dimension, rule.size, after.unit);
      return {{"split " + step.name, program::Compute{{std::move(op)}, {input}, {call.input}}},
              {"reduce_scatter " + step.name, call}};
    }
    case Step::Kind::all_gather: {
      call.kind = graph::Collective::all_gather;
      call.counts = part_elements(sharded, instances.local_type(to), before, axis, coordinates);
      call.input = input;
      const Operand output = instances.make(to, microbatch);
      if (before.dimension == 0) {
        call.output = output;
        return {{"all_gather " + step.name, std::move(call)}};
      }
      call.output = instances.staging(step.name + ".parts", output.type);
      auto op = std::make_shared<graph::JoinParts>(before.dimension, rule.size, before.unit);
      return {{"all_gather " + step.name, call},
              {"join " + step.name, program::Compute{{std::move(op)}, {call.output}, {output}}}};
    }
  }
  throw ContractError("an op is not a conversion");
}

}  // namespace ddlbench::strategies
