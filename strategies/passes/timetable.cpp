#include "strategies/passes/timetable.h"

#include <fmt/core.h>
#include <algorithm>
#include <set>
#include <string>

#include "base/error.h"
#include "strategies/strategy.h"

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

/// A value that one pipeline rank computes and another one uses.
struct Crossing {
  ValueId value = graph::absent;
  int from = 0;
  int to = 0;
};

int producer_of(const ShardedGraph& sharded, ValueId value) {
  return sharded.values[static_cast<std::size_t>(value)].producer;
}

const std::string& name_of_value(const ShardedGraph& sharded, ValueId value) {
  const graph::TensorId tensor = sharded.values[static_cast<std::size_t>(value)].tensor;
  return sharded.graph.tensors[static_cast<std::size_t>(tensor)].name;
}

std::vector<Crossing> crossings(const ShardedGraph& sharded, const StageMap& stages) {
  std::vector<Crossing> all;
  for (ValueId id = 0; id < static_cast<ValueId>(sharded.values.size()); ++id) {
    const Value& value = sharded.values[static_cast<std::size_t>(id)];
    if (value.producer == graph::absent) continue;
    const int from = stages.rank_of(value.producer);
    std::set<int> destinations;
    for (const int consumer : value.consumers)
      if (stages.rank_of(consumer) != from) destinations.insert(stages.rank_of(consumer));
    for (const int to : destinations) all.push_back({id, from, to});
  }
  return all;
}

}  // namespace

Timetable::Timetable(const ShardedGraph& sharded, const StageMap& stages, const Schedule& schedule, bool training)
    : transfers_(static_cast<std::size_t>(stages.pipeline.ranks)) {
  const Needs needs = needs_of(sharded, stages);
  const Clock clock(needs, stages.pipeline, schedule, training);
  works_ = clock.works();

  for (const Crossing& crossing : crossings(sharded, stages)) {
    const int producer = producer_of(sharded, crossing.value);
    const StagePhase maker{stages.stage_of(producer), sharded.steps[static_cast<std::size_t>(producer)].phase};
    for (int m = 0; m < stages.pipeline.microbatches; ++m) {
      if (!stages.pipeline.runs(maker.stage, m)) continue;
      for (const int end : {crossing.from, crossing.to})
        transfers_[static_cast<std::size_t>(end)].push_back(
            {crossing.value, m, crossing.from, crossing.to, clock.end(maker, m)});
    }
  }
  sort_transfers();
}

Timetable::Timetable(const ShardedGraph& sharded, const StageMap& stages, const Ages& ages)
    : ages_(ages), transfers_(static_cast<std::size_t>(stages.pipeline.ranks)) {
  const Pipeline& pipeline = stages.pipeline;
  for (int rank = 0; rank < pipeline.ranks; ++rank) works_.push_back(works_without_flush(pipeline, rank, ages));
  for (const Crossing& crossing : crossings(sharded, stages)) {
    const int producer = producer_of(sharded, crossing.value), from = stages.stage_of(producer);
    const bool forward = sharded.steps[static_cast<std::size_t>(producer)].phase == graph::Phase::forward;
    const int to = from + (forward ? 1 : -1);
    require(to >= 0, "the first stage has a backward value for another stage");
    if (pipeline.rank_of(to) != crossing.to)
      throw Unsupported(fmt::format(
          "without flush, stages send only to their neighbours, but '{}' goes from rank {} of the pipeline to rank {}; "
          "use fewer stages, or a schedule with flush",
          name_of_value(sharded, crossing.value), crossing.from, crossing.to));
    for (const TimedWork& timed : works_[static_cast<std::size_t>(crossing.to)]) {
      if (timed.stage != to || (timed.work.kind == Work::Kind::forward) != forward) continue;
      for (const int end : {crossing.from, crossing.to})
        transfers_[static_cast<std::size_t>(end)].push_back(
            {crossing.value, timed.work.microbatch, crossing.from, crossing.to, timed.begin, timed.work.age});
    }
  }
  sort_transfers();
}

void Timetable::sort_transfers() {
  for (std::vector<StageTransfer>& own : transfers_)
    std::stable_sort(own.begin(), own.end(),
                     [](const StageTransfer& a, const StageTransfer& b) { return a.time < b.time; });
}

}  // namespace ddlbench::strategies
