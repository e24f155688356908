#include "strategies/passes/timetable.h"

#include <algorithm>
#include <set>

namespace ddlbench::strategies {
namespace {

Needs needs_of(const ShardedGraph& sharded, const StageMap& stages) {
  const auto part_of_step = [&](int id) {
    return StagePhase{stages.stage_of(id), sharded.steps[static_cast<std::size_t>(id)].phase};
  };
  Needs needs;
  for (const Value& value : sharded.values) {
    if (value.producer == graph::absent) continue;
    for (const int consumer : value.consumers)
      if (part_of_step(consumer) != part_of_step(value.producer))
        needs[part_of_step(consumer)].insert(part_of_step(value.producer));
  }
  return needs;
}

}  // namespace

Timetable::Timetable(const ShardedGraph& sharded, const StageMap& stages, const Schedule& schedule, bool training)
    : transfers_(static_cast<std::size_t>(stages.pipeline.ranks)) {
  const Needs needs = needs_of(sharded, stages);
  const Clock clock(needs, stages.pipeline, schedule, training);
  works_ = clock.works();

  for (ValueId id = 0; id < static_cast<ValueId>(sharded.values.size()); ++id) {
    const Value& value = sharded.values[static_cast<std::size_t>(id)];
    if (value.producer == graph::absent) continue;
    const int from = stages.rank_of(value.producer);
    std::set<int> destinations;
    for (const int consumer : value.consumers)
      if (stages.rank_of(consumer) != from) destinations.insert(stages.rank_of(consumer));
    const StagePhase maker{stages.stage_of(value.producer),
                           sharded.steps[static_cast<std::size_t>(value.producer)].phase};
    for (const int to : destinations)
      for (int m = 0; m < stages.pipeline.microbatches; ++m) {
        if (!stages.pipeline.runs(maker.stage, m)) continue;
        for (const int end : {from, to})
          transfers_[static_cast<std::size_t>(end)].push_back({id, m, from, to, clock.end(maker, m)});
      }
  }
  for (std::vector<StageTransfer>& own : transfers_)
    std::stable_sort(own.begin(), own.end(),
                     [](const StageTransfer& a, const StageTransfer& b) { return a.time < b.time; });
}

}  // namespace ddlbench::strategies
