#include "strategies/passes/timetable.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/error.h"

namespace ddlbench::strategies {

using graph::Phase;

namespace {

constexpr int not_yet = -1;

constexpr std::array phases{Phase::forward, Phase::backward_input, Phase::backward_weight};

int units(Work::Kind kind) {
  return kind == Work::Kind::backward ? 2 : 1;
}

/// A phase of a stage, as producer or consumer of values.
struct StagePhase {
  int stage = 0;
  Phase phase = Phase::forward;
  auto operator<=>(const StagePhase&) const = default;
};

/// Returns, for each phase of a stage, the phases of stages whose values it reads.
std::map<StagePhase, std::set<StagePhase>> needs_of(const ShardedGraph& sharded, const StageMap& stages) {
  const auto part_of_step = [&](int id) {
    return StagePhase{stages.stage_of(id), sharded.steps[static_cast<std::size_t>(id)].phase};
  };
  std::map<StagePhase, std::set<StagePhase>> needs;
  for (const Value& value : sharded.values) {
    if (value.producer == graph::absent) continue;
    for (const int consumer : value.consumers)
      if (part_of_step(consumer) != part_of_step(value.producer))
        needs[part_of_step(consumer)].insert(part_of_step(value.producer));
  }
  return needs;
}

/// Runs the orders of all ranks side by side in virtual time.
class Clock {
 public:
  Clock(std::map<StagePhase, std::set<StagePhase>> needs, int microbatches)
      : needs_(std::move(needs)), microbatches_(static_cast<std::size_t>(microbatches)) {}

  void run(std::vector<std::vector<TimedWork>>& works) {
    std::vector<std::size_t> next(works.size(), 0);
    std::vector<int> free(works.size(), 0);
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t rank = 0; rank < works.size(); ++rank)
        while (next[rank] < works[rank].size() && start(works[rank][next[rank]], free[rank])) {
          free[rank] = works[rank][next[rank]++].end;
          moved = true;
        }
    }
    for (std::size_t rank = 0; rank < works.size(); ++rank)
      require(next[rank] == works[rank].size(), "a schedule waits for itself on rank {} of the pipeline, at entry {}",
              rank, next[rank]);
  }

  int ended(StagePhase part, int microbatch) const {
    const auto found = ended_.find(part);
    return found == ended_.end() ? not_yet : found->second[static_cast<std::size_t>(microbatch)];
  }

 private:
  bool start(TimedWork& timed, int free) {
    int begin = free;
    for (const Phase phase : phases) {
      if (!covers(timed.work.kind, phase)) continue;
      const auto needed = needs_.find({timed.stage, phase});
      if (needed == needs_.end()) continue;
      for (const StagePhase& part : needed->second) {
        if (part.stage == timed.stage && covers(timed.work.kind, part.phase)) continue;
        const int time = ended(part, timed.work.microbatch);
        if (time == not_yet) return false;
        begin = std::max(begin, time);
      }
    }
    timed.begin = begin;
    timed.end = begin + units(timed.work.kind);
    for (const Phase phase : phases) {
      if (!covers(timed.work.kind, phase)) continue;
      auto& times = ended_.try_emplace({timed.stage, phase}, microbatches_, not_yet).first->second;
      times[static_cast<std::size_t>(timed.work.microbatch)] = timed.end;
    }
    return true;
  }

  std::map<StagePhase, std::set<StagePhase>> needs_;
  std::size_t microbatches_;
  std::map<StagePhase, std::vector<int>> ended_;  ///< by micro-batch
};

}  // namespace

bool covers(Work::Kind kind, Phase phase) {
  switch (kind) {
    case Work::Kind::forward:
      return phase == Phase::forward;
    case Work::Kind::backward:
      return phase != Phase::forward;
    case Work::Kind::backward_input:
      return phase == Phase::backward_input;
    case Work::Kind::backward_weight:
      return phase == Phase::backward_weight;
  }
  throw ContractError("unknown kind of work");
}

Timetable::Timetable(const ShardedGraph& sharded, const StageMap& stages, const Pipeline& pipeline, Schedule schedule,
                     bool training)
    : works_(static_cast<std::size_t>(pipeline.stages)), transfers_(works_.size()) {
  for (int rank = 0; rank < pipeline.stages; ++rank)
    for (const Work& work : schedule(pipeline, rank))
      if (training || work.kind == Work::Kind::forward)
        works_[static_cast<std::size_t>(rank)].push_back({work, work.chunk * pipeline.stages + rank});
  Clock clock(needs_of(sharded, stages), pipeline.microbatches);
  clock.run(works_);

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
      for (int m = 0; m < pipeline.microbatches; ++m) {
        const int time = clock.ended(maker, m);
        require(time != not_yet, "a schedule leaves out work of micro-batch {}", m);
        for (const int end : {from, to}) transfers_[static_cast<std::size_t>(end)].push_back({id, m, from, to, time});
      }
  }
  for (std::vector<StageTransfer>& own : transfers_)
    std::stable_sort(own.begin(), own.end(),
                     [](const StageTransfer& a, const StageTransfer& b) { return a.time < b.time; });
}

}  // namespace ddlbench::strategies
