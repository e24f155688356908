#include "strategies/passes/layout.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/error.h"

namespace ddlbench::strategies {

std::vector<int> RolePosition::on(const std::vector<AxisRule>& rules) const {
  std::vector<int> result;
  for (const AxisRule& rule : rules)
    result.push_back(coordinates[static_cast<std::size_t>(mesh.find(rule.axis).value())]);
  return result;
}

program::Group group_of(std::vector<std::string> axes, const std::vector<int>& holders) {
  program::Group group{0, std::move(axes), {}};
  if (holders.empty()) return group;
  group.only.resize(group.axes.size());
  group.axes.push_back("pipeline");
  group.only.push_back(holders);
  return group;
}

std::size_t FlatLayout::bucket_of(std::size_t parameter) const {
  for (std::size_t b = 0; b < buckets.size(); ++b) {
    const std::vector<std::size_t>& members = buckets[b].members;
    if (std::find(members.begin(), members.end(), parameter) != members.end()) return b;
  }
  throw ContractError("a parameter belongs to no bucket");
}

namespace {

/// Returns the number of observations of one micro-batch for a statistic.
std::int64_t observations_of(const ShardedGraph& training, const Step& step) {
  const graph::TensorId from = training.values[static_cast<std::size_t>(step.inputs.at(0))].tensor;
  return training.graph.tensors[static_cast<std::size_t>(from)].type.shape.at(0);
}

void lay_out_statistics(const ShardedGraph& training, const StageMap& stages, const RolePosition& position,
                        const std::map<graph::TensorId, Tie>& ties, FlatLayout& layout) {
  const std::vector<int> coordinates = position.on(training.rules);
  const auto tie_of = [&ties](const graph::Observation& observation) {
    const auto found = ties.find(observation.statistic);
    return found == ties.end() ? Tie{observation.statistic, {}, -1} : found->second;
  };
  std::vector<graph::Observation> ordered = training.graph.observations;
  std::stable_sort(ordered.begin(), ordered.end(),
                   [&tie_of](const auto& a, const auto& b) { return tie_of(a).parameter < tie_of(b).parameter; });
  for (const graph::Observation& observation : ordered) {
    const ValueId source = training.source_of(observation.statistic);
    const ValueId observed = training.first_value(observation.observed);
    const int step = training.values[static_cast<std::size_t>(observed)].producer;
    if (stages.rank_of(step) != position.pipeline) continue;
    FlatStatistic statistic{observation.statistic, observed, training.local_type(source, coordinates),
                            training.box(source, coordinates), layout.statistic_elements};
    require(statistic.type == training.local_type(observed, coordinates), "a statistic is not observed where it lies");
    layout.statistic_elements += graph::elements(statistic.type.shape);
    StatisticRun run{statistic.begin,
                     layout.statistic_elements,
                     training.partial_axes(observed),
                     tie_of(observation),
                     observation.momentum,
                     observations_of(training, training.steps[static_cast<std::size_t>(step)])};
    layout.statistics.push_back(std::move(statistic));
    StatisticRun* last = layout.statistic_runs.empty() ? nullptr : &layout.statistic_runs.back();
    if (last != nullptr && last->partial_axes == run.partial_axes && last->tie.group == run.tie.group &&
        last->momentum == run.momentum && last->observations == run.observations)
      last->end = run.end;
    else
      layout.statistic_runs.push_back(std::move(run));
  }
}

/// Numbers the groups of parameters that never share a bucket.
class Units {
 public:
  explicit Units(BucketBoundaries apart) : apart_(std::move(apart)) {}

  int of(int stage, bool is_sharded, const std::string& name, std::size_t parameter) {
    const Key key{apart_.stages ? stage : 0, apart_.shardings && is_sharded,
                  apart_.layers ? name.substr(0, name.rfind('.')) : "",
                  apart_.cycles.empty() ? 0 : apart_.cycles.at(parameter)};
    return known_.try_emplace(key, static_cast<int>(known_.size())).first->second;
  }

 private:
  using Key = std::tuple<int, bool, std::string, int>;
  BucketBoundaries apart_;
  std::map<Key, int> known_;
};

}  // namespace

FlatLayout lay_out(const ShardedGraph& training, const StageMap& stages, const RolePosition& position,
                   const std::map<graph::TensorId, Tie>& ties, const BucketSizes& sizes, BucketBoundaries apart) {
  const std::vector<int> coordinates = position.on(training.rules);
  FlatLayout layout;
  Units units(std::move(apart));
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
    require(layout.parameters.empty() || parameter.type.dtype == layout.dtype, "parameters are of several types");
    layout.dtype = parameter.type.dtype;
    const std::int64_t elements = graph::elements(parameter.type.shape);
    parameter.range = {layout.elements, layout.elements + elements,
                       training.partial_axes(training.gradient_of[static_cast<std::size_t>(value.tensor)])};
    if (const auto tied = ties.find(value.tensor); tied != ties.end()) parameter.range.tie = tied->second;
    for (std::size_t axis = 0; axis < training.rules.size(); ++axis)
      if (value.layout[axis].kind == graph::Placement::Kind::sharded)
        parameter.sharded_axes.push_back(training.rules[axis].axis);
    parameter.exempt = parameter.type.shape.size() < 2;
    parameter.range.unit =
        units.of(stages.stage_of(*user), !parameter.sharded_axes.empty(),
                 training.graph.tensors[static_cast<std::size_t>(value.tensor)].name, layout.parameters.size());
    layout.elements += elements;
    ranges.push_back(parameter.range);
    layout.parameters.push_back(std::move(parameter));
  }
  layout.buckets = make_buckets(ranges, sizes, static_cast<std::int64_t>(graph::size_of(layout.dtype)));
  lay_out_statistics(training, stages, position, ties, layout);
  return layout;
}

}  // namespace ddlbench::strategies
