#include "bench/report/timeline_drawing.h"

#include <algorithm>
#include <array>
#include <limits>

#include "base/error.h"
#include "program/actions.h"

namespace ddlbench::bench {

using namespace program;

namespace {

constexpr std::array<MarkStyle, marks> styles{{{'F', "#0072B2", "forward"},
                                               {'B', "#E69F00", "backward"},
                                               {'W', "#F0E442", "backward, weights"},
                                               {'R', "#D55E00", "recompute"},
                                               {'U', "#CC79A7", "update"},
                                               {'=', "#56B4E9", "communication"},
                                               {'.', "#DDDDDD", "wait"},
                                               {'i', "#009E73", "input"}}};

Mark mark_of(const Instruction& instruction) {
  if (is_communication(instruction)) return Mark::communicate;
  switch (instruction.phase) {
    case Phase::forward:
      return Mark::forward;
    case Phase::backward_input:
      return Mark::backward;
    case Phase::backward_weight:
      return Mark::backward_weight;
    case Phase::recompute:
      return Mark::recompute;
    case Phase::communication:
      return Mark::communicate;
    case Phase::optimizer:
      return Mark::update;
  }
  throw ContractError("an instruction of no known phase");
}

bool has_microbatch(Mark mark) {
  return mark != Mark::update && mark != Mark::communicate && mark != Mark::wait && mark != Mark::input;
}

void add(std::vector<Stretch>& stretches, const Stretch& next) {
  if (next.begin >= next.end) return;
  if (!stretches.empty()) {
    Stretch& last = stretches.back();
    if (last.mark == next.mark && last.microbatch == next.microbatch && last.end == next.begin) {
      last.end = next.end;
      return;
    }
  }
  stretches.push_back(next);
}

}  // namespace

const MarkStyle& style(Mark mark) {
  return styles[static_cast<std::size_t>(mark)];
}

Drawing draw(const Plan& plan, const std::vector<StepTimeline>& timelines) {
  Drawing drawing;
  std::int64_t origin = std::numeric_limits<std::int64_t>::max();
  for (const StepTimeline& timeline : timelines) origin = std::min(origin, timeline.begin);
  for (std::size_t rank = 0; rank < timelines.size(); ++rank) {
    const StepTimeline& timeline = timelines[rank];
    const auto& body = plan.role(static_cast<int>(rank)).train.body;
    Drawing::Row row;
    row.name = "rank " + std::to_string(rank);
    for (const Span& span : timeline.spans) {
      Stretch stretch{Mark::input, -1, span.begin - origin, span.end - origin};
      if (span.activity == Activity::wait) stretch.mark = Mark::wait;
      if (span.activity == Activity::compute) {
        const Instruction& instruction = body.at(static_cast<std::size_t>(span.instruction));
        stretch.mark = mark_of(instruction);
        if (has_microbatch(stretch.mark)) stretch.microbatch = instruction.microbatch;
      }
      add(row.stretches, stretch);
    }
    for (const Transfer& transfer : timeline.transfers) {
      row.transfers.push_back({Mark::communicate, -1, transfer.begin - origin, transfer.end - origin});
    }
    drawing.length = std::max(drawing.length, timeline.end - origin);
    drawing.rows.push_back(std::move(row));
  }
  return drawing;
}

}  // namespace ddlbench::bench
