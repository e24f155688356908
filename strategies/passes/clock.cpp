#include "strategies/passes/clock.h"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>
#include <tuple>

#include "base/error.h"
#include "base/join.h"

namespace ddlbench::strategies {

using graph::Phase;

namespace {

constexpr double not_yet = -1;

std::string_view name_of(Phase phase) {
  return phase == Phase::forward ? "forward" : phase == Phase::backward_input ? "input half" : "weight half";
}

/// Throws ContractError unless the order of `rank` runs each of `phases` of each chunk once for each micro-batch.
void require_complete(const std::vector<Work>& order, const Pipeline& pipeline, int rank) {
  const auto runs = [&](int chunk, int microbatch) {
    return pipeline.runs(pipeline.stage_of(chunk, rank), microbatch);
  };
  const int chunks = pipeline.chunks_of(rank);
  std::set<std::tuple<Phase, int, int>> ran;
  for (std::size_t entry = 0; entry < order.size(); ++entry) {
    const Work& work = order[entry];
    require(work.chunk >= 0 && work.chunk < chunks && work.microbatch >= 0 && work.microbatch < pipeline.microbatches,
            "a schedule has work on chunk {} and micro-batch {}, of {} and {}, on rank {}, at entry {}", work.chunk,
            work.microbatch, chunks, pipeline.microbatches, rank, entry);
    require(runs(work.chunk, work.microbatch),
            "a schedule has work on micro-batch {} and chunk {}, which belong to different copies of the model, on "
            "rank {}, at entry {}",
            work.microbatch, work.chunk, rank, entry);
    for (const Phase phase : phases)
      require(!covers(work.kind, phase) || ran.emplace(phase, work.chunk, work.microbatch).second,
              "a schedule runs the {} of micro-batch {} on chunk {} twice, on rank {}, again at entry {}",
              name_of(phase), work.microbatch, work.chunk, rank, entry);
  }
  for (const Phase phase : phases)
    for (int chunk = 0; chunk < chunks; ++chunk)
      for (int m = 0; m < pipeline.microbatches; ++m)
        require(!runs(chunk, m) || ran.contains({phase, chunk, m}),
                "a schedule omits the {} of micro-batch {} on chunk {}, on rank {}, in {} entries", name_of(phase), m,
                chunk, rank, order.size());
}

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

bool follows_own_forward(const std::vector<TimedWork>& works, std::size_t index) {
  if (index == 0) return false;
  const TimedWork &before = works[index - 1], &now = works[index];
  return before.work.kind == Work::Kind::forward && before.stage == now.stage &&
         before.work.microbatch == now.work.microbatch;
}

Needs needs_of_chain(const Pipeline& pipeline) {
  Needs needs;
  for (int stage = 0; stage < pipeline.stages(); ++stage) {
    const StagePhase forward{stage, Phase::forward}, input{stage, Phase::backward_input};
    const int within = stage % pipeline.stages_of_copy();
    if (within > 0) needs[forward] = {{stage - 1, Phase::forward}};
    needs[input] = {forward};
    if (within + 1 < pipeline.stages_of_copy()) needs[input].insert({stage + 1, Phase::backward_input});
    needs[{stage, Phase::backward_weight}] = {forward, input};
  }
  return needs;
}

Clock::Clock(const Needs& needs, const Pipeline& pipeline, const Schedule& schedule, bool training)
    : needs_(needs), pipeline_(pipeline), works_(static_cast<std::size_t>(pipeline.ranks)) {
  const std::vector<std::vector<Work>> orders = schedule.orders(pipeline);
  require(orders.size() == works_.size(), "a schedule has orders of {} ranks, not of {}", orders.size(), works_.size());
  for (int rank = 0; rank < pipeline.ranks; ++rank) {
    require_complete(orders[static_cast<std::size_t>(rank)], pipeline, rank);
    for (const Work& work : orders[static_cast<std::size_t>(rank)])
      if (training || work.kind == Work::Kind::forward)
        works_[static_cast<std::size_t>(rank)].push_back({work, pipeline.stage_of(work.chunk, rank)});
  }
  std::vector<std::size_t> next(works_.size(), 0);
  std::vector<double> free(works_.size(), 0);
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t rank = 0; rank < works_.size(); ++rank)
      while (next[rank] < works_[rank].size() && start(works_[rank][next[rank]], static_cast<int>(rank), free[rank])) {
        free[rank] = works_[rank][next[rank]++].end;
        moved = true;
      }
  }
  std::vector<std::string> waiting;
  for (std::size_t rank = 0; rank < works_.size(); ++rank)
    if (next[rank] < works_[rank].size()) waiting.push_back(fmt::format("rank {} at entry {}", rank, next[rank]));
  require(waiting.empty(), "a schedule waits for itself: {}", joined(waiting));
}

double Clock::end(StagePhase part, int microbatch) const {
  return ends_.at(part)[static_cast<std::size_t>(microbatch)];
}

/// Returns false if `timed` needs work that has not run yet.
bool Clock::start(TimedWork& timed, int rank, double free) {
  double begin = free;
  double duration = 0;
  for (const Phase phase : phases) {
    if (!covers(timed.work.kind, phase)) continue;
    duration += pipeline_.costs.of(timed.stage, phase);
    const auto needed = needs_.find({timed.stage, phase});
    if (needed == needs_.end()) continue;
    for (const StagePhase& part : needed->second) {
      if (part.stage == timed.stage && covers(timed.work.kind, part.phase)) continue;
      const auto found = ends_.find(part);
      if (found == ends_.end()) return false;
      const double end = found->second[static_cast<std::size_t>(timed.work.microbatch)];
      if (end == not_yet) return false;
      begin = std::max(begin, end + (pipeline_.rank_of(part.stage) == rank ? 0 : pipeline_.costs.transfer));
    }
  }
  timed.begin = begin;
  timed.end = begin + duration;
  for (const Phase phase : phases) {
    if (!covers(timed.work.kind, phase)) continue;
    std::vector<double>& ends =
        ends_.try_emplace({timed.stage, phase}, static_cast<std::size_t>(pipeline_.microbatches), not_yet)
            .first->second;
    ends[static_cast<std::size_t>(timed.work.microbatch)] = timed.end;
  }
  return true;
}

}  // namespace ddlbench::strategies
