#include "strategies/inter_layer/bubble.h"

#include <algorithm>

#include "strategies/passes/clock.h"

namespace ddlbench::strategies {

Bubble bubble_of(const Pipeline& pipeline, const Schedule& schedule) {
  const Needs needs = needs_of_chain(pipeline);
  const Clock clock(needs, pipeline, schedule);
  Bubble bubble;
  for (const std::vector<TimedWork>& works : clock.works()) {
    if (works.empty()) continue;
    double work = 0;
    int held = 0;
    for (const TimedWork& timed : works) {
      work += timed.end - timed.begin;
      held += timed.work.kind == Work::Kind::forward ? 1 : timed.work.kind == Work::Kind::backward_input ? 0 : -1;
      bubble.most_held = std::max(bubble.most_held, held);
    }
    bubble.step = std::max(bubble.step, works.back().end);
    bubble.span = std::max(bubble.span, works.back().end - works.front().begin);
    bubble.work = std::max(bubble.work, work);
  }
  return bubble;
}

}  // namespace ddlbench::strategies
