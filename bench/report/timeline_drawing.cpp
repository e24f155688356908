#include "bench/report/timeline_drawing.h"

#include <fmt/core.h>
#include <algorithm>
#include <array>
#include <limits>

#include "base/error.h"
#include "program/actions.h"

namespace ddlbench::bench {

using namespace program;

namespace {

constexpr std::array<StretchStyle, stretch_kinds> styles{{{'F', "#0072B2", "forward"},
                                                          {'B', "#E69F00", "backward"},
                                                          {'W', "#F0E442", "backward, weights"},
                                                          {'R', "#D55E00", "recompute"},
                                                          {'U', "#CC79A7", "update"},
                                                          {'=', "#56B4E9", "communication"},
                                                          {'.', "#DDDDDD", "wait"},
                                                          {'i', "#009E73", "input"}}};

StretchKind kind_of(const Instruction& instruction) {
  if (is_communication(instruction)) return StretchKind::communicate;
  switch (instruction.phase) {
    case Phase::forward:
      return StretchKind::forward;
    case Phase::backward_input:
      return StretchKind::backward;
    case Phase::backward_weight:
      return StretchKind::backward_weight;
    case Phase::recompute:
      return StretchKind::recompute;
    case Phase::communication:
      return StretchKind::communicate;
    case Phase::optimizer:
      return StretchKind::update;
  }
  throw ContractError("an instruction of no known phase");
}

bool has_microbatch(StretchKind kind) {
  return kind != StretchKind::update && kind != StretchKind::communicate && kind != StretchKind::wait &&
         kind != StretchKind::input;
}

void add(std::vector<Stretch>& stretches, const Stretch& next) {
  if (next.begin >= next.end) return;
  if (!stretches.empty()) {
    Stretch& last = stretches.back();
    if (last.kind == next.kind && last.microbatch == next.microbatch && last.end == next.begin) {
      last.end = next.end;
      return;
    }
  }
  stretches.push_back(next);
}

}  // namespace

const StretchStyle& style(StretchKind kind) {
  return styles[static_cast<std::size_t>(kind)];
}

Drawing draw(const Plan& plan, const std::vector<std::vector<StepTimeline>>& steps) {
  Drawing drawing;
  std::int64_t origin = std::numeric_limits<std::int64_t>::max();
  for (const StepTimeline& timeline : steps.front()) origin = std::min(origin, timeline.begin);
  for (std::size_t rank = 0; rank < steps.front().size(); ++rank) {
    const Program& training = plan.role(static_cast<int>(rank)).train;
    Drawing::Row& row = drawing.rows.emplace_back();
    row.name = fmt::format("rank {}", rank);
    for (std::size_t step = 0; step < steps.size(); ++step) {
      const StepTimeline& timeline = steps[step][rank];
      const Instructions& body = section(training, body_section(timeline.body));
      for (const Span& span : timeline.spans) {
        Stretch stretch{StretchKind::input, -1, span.begin - origin, span.end - origin};
        if (span.activity == Activity::wait) stretch.kind = StretchKind::wait;
        if (span.activity == Activity::compute) {
          const Instruction& instruction = body.at(static_cast<std::size_t>(span.instruction));
          stretch.kind = kind_of(instruction);
          if (has_microbatch(stretch.kind))
            stretch.microbatch =
                instruction.microbatch + (static_cast<int>(step) - instruction.steps_back) * plan.microbatches;
        }
        add(row.stretches, stretch);
      }
      for (const Transfer& transfer : timeline.transfers)
        row.transfers.push_back({StretchKind::communicate, -1, transfer.begin - origin, transfer.end - origin});
      drawing.length = std::max(drawing.length, timeline.end - origin);
    }
  }
  return drawing;
}

}  // namespace ddlbench::bench
