#include "strategies/passes/layout.h"

#include <algorithm>

#include "graph/error.h"

namespace ddlbench::strategies {

std::vector<int> RolePosition::on(const std::vector<AxisRule>& rules) const {
  std::vector<int> result;
  for (const AxisRule& rule : rules)
    result.push_back(coordinates[static_cast<std::size_t>(mesh.find(rule.axis).value())]);
  return result;
}

std::size_t FlatLayout::bucket_of(std::size_t parameter) const {
  for (std::size_t b = 0; b < buckets.size(); ++b) {
    const std::vector<std::size_t>& members = buckets[b].members;
    if (std::find(members.begin(), members.end(), parameter) != members.end()) return b;
  }
  throw ContractError("a parameter that lies in no bucket");
}

FlatLayout lay_out(const ShardedGraph& training, const StageMap& stages, const RolePosition& position,
                   const std::map<graph::TensorId, Tie>& ties, const BucketSizes& sizes, bool apart) {
  const std::vector<int> coordinates = position.on(training.rules);
  FlatLayout layout;
  std::vector<GradientRange> ranges;
  for (ValueId id = 0; id < static_cast<ValueId>(training.values.size()); ++id) {
    if (!training.is_source(id, graph::Role::parameter)) continue;
    const Value& value = training.values[static_cast<std::size_t>(id)];
    const auto user = std::find_if(value.consumers.begin(), value.consumers.end(),
                                   [&](int step) { return stages.rank_of(step) == position.pipeline; });
    if (user == value.consumers.end()) continue;
    FlatParameter parameter;
    parameter.tensor = value.tensor;
    parameter.type = training.local_type(id, coordinates);
    parameter.box = training.box(id, coordinates);
    const auto bytes = static_cast<std::int64_t>(graph::bytes(parameter.type));
    parameter.range = {layout.bytes, layout.bytes + bytes,
                       training.partial_axes(training.gradient_of[static_cast<std::size_t>(value.tensor)])};
    if (const auto tied = ties.find(value.tensor); tied != ties.end()) parameter.range.tie = tied->second;
    if (apart) parameter.range.unit = stages.stage_of(*user);
    layout.bytes += bytes;
    ranges.push_back(parameter.range);
    layout.parameters.push_back(std::move(parameter));
  }
  layout.buckets = make_buckets(ranges, sizes);
  return layout;
}

}  // namespace ddlbench::strategies
