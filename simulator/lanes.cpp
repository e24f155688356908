#include <fmt/core.h>
#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "program/actions.h"
#include "simulator/machine.h"

namespace ddlbench::simulator {

using namespace program;

std::int64_t nanoseconds(double seconds) {
  return std::llround(seconds * 1e9);
}

/// Advances a lane as far as it can go at time `now`.
void Machine::advance(int rank, std::size_t lane, double now) {
  RankState& state = ranks_[index(rank)];
  const Section& section = section_of(state);
  const Lane& instructions = section.lanes[lane];
  LaneState& l = state.lanes[lane];
  while (!l.busy && l.next < instructions.size()) {
    const InstructionId id = instructions[l.next];
    const Step& step = section.steps[index(id)];
    l.wait = std::max(l.wait, step.first_wait);
    if (must_wait(rank, lane, section.waits, step.end_wait, now)) return;
    start(rank, lane, id, now);
  }
  if (l.busy) return;
  if (l.next == instructions.size()) {
    move_messages(rank, now);
    l.wait = 0;
    ++l.next;
  }
  if (lane == 0 && must_wait(rank, lane, section.at_end, section.at_end.size(), now)) return;
  l.ended = true;
  l.since = now;
}

bool Machine::must_wait(int rank, std::size_t lane, const std::vector<InstructionId>& waits, std::size_t end,
                        double now) {
  RankState& state = ranks_[index(rank)];
  LaneState& l = state.lanes[lane];
  for (; l.wait < end; ++l.wait) {
    const InstructionId id = waits[l.wait];
    if (state.instructions[index(id)].complete) continue;
    l.waiting_for = id;
    l.since = now;
    move_messages(rank, now);
    return true;
  }
  return false;
}

void Machine::start(int rank, std::size_t lane, InstructionId id, double now) {
  RankState& state = ranks_[index(rank)];
  const Step& step = section_of(state).steps[index(id)];
  LaneState& l = state.lanes[lane];
  l.since = now;
  l.busy = true;
  if (step.communicates) {
    start_communication(rank, id, now);
    if (options_.issue == Issue::streams) {
      l.waiting_for = id;
    } else if (step.seconds > 0) {
      push(now + step.seconds, Event::Kind::lane, rank, lane);
    } else {
      l.busy = false;
      ++l.next;
    }
    return;
  }
  if (step.computes) {
    const double slowdown = cluster_.slowdown_of_rank.empty() ? 1 : cluster_.slowdown_of_rank[index(rank)];
    compute(rank, slowdown * step.seconds, now, Event::Kind::lane, lane);
  } else {
    push(now + step.seconds, Event::Kind::lane, rank, lane);
  }
}

void Machine::compute(int rank, double seconds, double now, Event::Kind done, std::uint64_t which) {
  if (!processors_.shares(rank)) {
    push(now + seconds, done, rank, which);
    return;
  }
  processors_.begin(rank, seconds, now);
  compute_next(cluster_.host_of_rank[index(rank)], now);
}

void Machine::start_communication(int rank, InstructionId id, double now) {
  RankState& state = ranks_[index(rank)];
  const Instruction& instruction = (*section_of(state).instructions)[index(id)];
  const Messages list = messages(instruction.action);
  const std::size_t parts = collective(instruction.action) != nullptr ? 1 : list.sends.size() + list.receives.size();
  InstructionState& own = state.instructions[index(id)];
  own.started = now;
  own.parts = static_cast<int>(parts);
  state.deferred.push_back(id);
  if (!processors_.shares(rank) || options_.issue == Issue::streams) move_messages(rank, now);
}

void Machine::move_messages(int rank, double now) {
  RankState& state = ranks_[index(rank)];
  arrivals_.clear();
  for (const InstructionId id : state.deferred) {
    const Instruction& instruction = (*section_of(state).instructions)[index(id)];
    const std::span targets(state.targets[index(state.section)]);
    const std::size_t first = section_of(state).steps[index(id)].first_target;
    network_.start(rank, id, instruction, targets.subspan(first, index(state.instructions[index(id)].parts)), now,
                   arrivals_);
  }
  state.deferred.clear();
  for (const Network::Arrival& arrival : arrivals_) {
    push(arrival.time, Event::Kind::part, arrival.rank, static_cast<std::uint64_t>(arrival.instruction));
  }
}

/// Schedules the event at which the next computation on the host's shared cores ends. Invalidates any earlier such
/// event.
void Machine::compute_next(int host, double now) {
  ++versions_[index(host)];
  const auto next = processors_.next(host);
  if (next) push(std::max(now, next->time), Event::Kind::host, host, versions_[index(host)]);
}

/// Ends the current instruction's use of its lane.
void Machine::finish_instruction(int rank, std::size_t lane, double now) {
  RankState& state = ranks_[index(rank)];
  LaneState& l = state.lanes[lane];
  const InstructionId id = section_of(state).lanes[lane][l.next];
  span(rank, lane, Activity::compute, id, l.since, now);
  l.busy = false;
  ++l.next;
  if (!section_of(state).steps[index(id)].communicates) complete(rank, id, now);
  if (l.waiting_for == none) advance(rank, lane, now);
}

void Machine::complete_part(int rank, InstructionId id, double now) {
  RankState& state = ranks_[index(rank)];
  InstructionState& own = state.instructions[index(id)];
  if (--own.parts > 0) return;
  if (StepTimeline* timeline = reported(rank))
    timeline->transfers.push_back({id, nanoseconds(own.started), nanoseconds(now)});
  state.last_complete = id;
  complete(rank, id, now);
}

/// Marks the instruction as complete, and wakes the lanes of the rank that wait for it.
void Machine::complete(int rank, InstructionId id, double now) {
  RankState& state = ranks_[index(rank)];
  state.instructions[index(id)].complete = true;
  for (std::size_t lane = 0; lane < state.lanes.size(); ++lane) {
    LaneState& l = state.lanes[lane];
    if (l.waiting_for != id) continue;
    l.waiting_for = none;
    span(rank, lane, Activity::wait, id, l.since, now);
    if (l.busy) {  // the lane waited for its own communication
      l.busy = false;
      ++l.next;
    }
    advance(rank, lane, now);
  }
}

void Machine::span(int rank, std::size_t lane, Activity activity, InstructionId id, double begin, double end) {
  if (lane != 0 || begin >= end) return;
  if (StepTimeline* timeline = reported(rank))
    timeline->spans.push_back({activity, id, nanoseconds(begin), nanoseconds(end)});
}

std::string Machine::standing() const {
  constexpr int told = 4;
  std::string text;
  int standing = 0;
  for (int rank = 0; rank < plan_.ranks(); ++rank) {
    const RankState& state = ranks_[index(rank)];
    if (state.ended || ++standing > told) continue;
    text += (text.empty() ? "rank " : "; rank ") + std::to_string(rank);
    for (const LaneState& lane : state.lanes) {
      if (lane.waiting_for == none) continue;
      text += fmt::format(" waits for {}[{}] '{}'", section_name(plan_.role(rank).train, state.section),
                          lane.waiting_for, (*section_of(state).instructions)[index(lane.waiting_for)].name);
    }
  }
  return standing > told ? fmt::format("{}; and {} more ranks", text, standing - told) : text;
}

}  // namespace ddlbench::simulator
