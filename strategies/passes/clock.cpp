#include "strategies/passes/clock.h"

#include <algorithm>
#include <array>

#include "base/error.h"

namespace ddlbench::strategies {

using graph::Phase;

namespace {

constexpr double not_yet = -1;

constexpr std::array phases{Phase::forward, Phase::backward_input, Phase::backward_weight};

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

Needs needs_of_chain(int stages) {
  Needs needs;
  for (int stage = 0; stage < stages; ++stage) {
    const StagePhase forward{stage, Phase::forward}, input{stage, Phase::backward_input};
    if (stage > 0) needs[forward] = {{stage - 1, Phase::forward}};
    needs[input] = {forward};
    if (stage + 1 < stages) needs[input].insert({stage + 1, Phase::backward_input});
    needs[{stage, Phase::backward_weight}] = {forward, input};
  }
  return needs;
}

Clock::Clock(const Needs& needs, const Pipeline& pipeline, const Schedule& schedule, bool training)
    : needs_(needs), pipeline_(pipeline), works_(static_cast<std::size_t>(pipeline.ranks)) {
  const std::vector<std::vector<Work>> orders = schedule.orders(pipeline);
  for (int rank = 0; rank < pipeline.ranks; ++rank)
    for (const Work& work : orders[static_cast<std::size_t>(rank)])
      if (training || work.kind == Work::Kind::forward)
        works_[static_cast<std::size_t>(rank)].push_back({work, pipeline.stage_of(work.chunk, rank)});
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
  for (std::size_t rank = 0; rank < works_.size(); ++rank)
    require(next[rank] == works_[rank].size(), "a schedule waits for itself on rank {} of the pipeline, at entry {}",
            rank, next[rank]);
}

double Clock::end(StagePhase part, int microbatch) const {
  const auto found = ends_.find(part);
  const double time = found == ends_.end() ? not_yet : found->second[static_cast<std::size_t>(microbatch)];
  require(time != not_yet, "a schedule leaves out work of micro-batch {}", microbatch);
  return time;
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
