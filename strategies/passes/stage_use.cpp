#include "strategies/passes/stage_use.h"

#include <algorithm>
#include <map>

#include "strategies/passes/clock.h"
#include "strategies/passes/without_flush.h"

namespace ddlbench::strategies {
namespace {

std::vector<std::vector<TimedWork>> works_of(const Pipeline& pipeline, const Schedule& schedule) {
  if (pipeline.flushes) {
    const Needs needs = needs_of_chain(pipeline);
    return Clock(needs, pipeline, schedule).works();
  }
  std::vector<std::vector<TimedWork>> works;
  for (int rank = 0; rank < pipeline.ranks; ++rank)
    works.push_back(works_without_flush(pipeline, rank, {0, oldest_age(pipeline)}));
  return works;
}

}  // namespace

std::vector<StageUse> stage_uses(Pipeline pipeline, const Schedule& schedule) {
  pipeline.costs = {};
  struct Count {
    int now = 0, most = 0, backwards = 0, repeated = 0;
  };
  std::vector<StageUse> uses(static_cast<std::size_t>(pipeline.stages_of_copy()));
  const std::vector<std::vector<TimedWork>> all = works_of(pipeline, schedule);
  for (int rank = 0; rank < pipeline.ranks; ++rank) {
    const std::vector<TimedWork>& works = all[static_cast<std::size_t>(rank)];
    std::map<int, Count> counts;  // by stage of a copy of the model
    for (std::size_t w = 0; w < works.size(); ++w) {
      const TimedWork& timed = works[w];
      Count& count = counts[timed.stage % pipeline.stages_of_copy()];
      if (timed.work.kind == Work::Kind::forward) count.most = std::max(count.most, ++count.now);
      if (covers(timed.work.kind, graph::Phase::backward_weight)) --count.now;
      if (!covers(timed.work.kind, graph::Phase::backward_input)) continue;
      ++count.backwards;
      count.repeated += follows_own_forward(works, w) ? 0 : 1;
    }
    for (const auto& [stage, count] : counts) {
      StageUse& use = uses[static_cast<std::size_t>(stage)];
      // Without flush, a step ends with the forward passes whose backward passes the next steps have.
      use.held = std::max(use.held, pipeline.flushes ? count.most : pipeline.passes_ahead(rank) + 1);
      if (count.backwards > 0)
        use.repeated = std::max(use.repeated, static_cast<double>(count.repeated) / count.backwards);
    }
  }
  return uses;
}

}  // namespace ddlbench::strategies
