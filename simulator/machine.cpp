#include "simulator/machine.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "program/actions.h"

namespace ddlbench::simulator {

using namespace program;

Machine::Machine(const Plan& plan, const CostTable& costs, const Cluster& cluster, const Options& options)
    : plan_(plan),
      cluster_(cluster),
      options_(options),
      reported_steps_(options.steps.report_all ? options.steps.count : static_cast<int>(plan.cadence.cycle_steps())),
      steps_(options.steps.report_all
                 ? reported_steps_
                 : std::max(options.steps.count - 1, static_cast<int>(plan.cadence.unsettled_steps())) +
                       reported_steps_),
      routes_(plan),
      network_(routes_, costs, cluster),
      processors_(cluster),
      ranks_(index(plan.ranks())),
      versions_(cluster.hosts.size(), 0) {
  for (const Role& role : plan.roles) scripts_.push_back(make_script(role, costs, options));
  result_.steps.assign(index(reported_steps_), std::vector<StepTimeline>(ranks_.size()));
  result_.sent_bytes.resize(ranks_.size());
  for (int rank = 0; rank < plan.ranks(); ++rank) {
    RankState& state = ranks_[index(rank)];
    state.script = &scripts_[index(plan.role_of_rank[index(rank)])];
    for (const Section& section : state.script->sections)
      state.targets.push_back(routes_.targets(rank, *section.instructions));
  }
}

Simulation Machine::run() {
  for (int rank = 0; rank < plan_.ranks(); ++rank) {
    enter(rank, 0);
    enter_next(rank, 0);
  }
  while (!events_.empty()) {
    const Event event = events_.top();
    events_.pop();
    handle(event);
  }
  const bool ended = std::all_of(ranks_.begin(), ranks_.end(), [](const RankState& state) { return state.ended; });
  if (!ended) throw ContractError("the plan makes no progress: " + standing());
  return std::move(result_);
}

void Machine::push(double time, Event::Kind kind, int first, std::uint64_t second) {
  events_.push({time, order_++, kind, first, second});
}

void Machine::handle(const Event& event) {
  int rank = event.first;
  switch (event.kind) {
    case Event::Kind::begin:
      begin_step(rank, event.time);
      break;
    case Event::Kind::lane:
      finish_instruction(rank, event.second, event.time);
      break;
    case Event::Kind::part:
      complete_part(rank, static_cast<InstructionId>(event.second), event.time);
      break;
    case Event::Kind::host:
      if (event.second != versions_[index(event.first)]) return;
      rank = processors_.next(event.first)->rank;
      processors_.end(rank, event.time);
      compute_next(event.first, event.time);
      if (ranks_[index(rank)].loads) {
        begin_step(rank, event.time);
      } else {
        finish_instruction(rank, 0, event.time);
      }
      break;
  }
  enter_next(rank, event.time);
}

/// Enters the current section of the rank.
void Machine::enter(int rank, double now) {
  RankState& state = ranks_[index(rank)];
  const Section& section = section_of(state);
  state.lanes.assign(section.lanes.size(), {});
  state.lanes[0].since = now;
  state.instructions.assign(section.steps.size(), {});
  if (StepTimeline* timeline = reported(rank)) {
    timeline->step = plan_.cadence.ramp_steps() + state.iteration;
    timeline->body = body_of(state);
    timeline->begin = nanoseconds(now);
    if (timeline == &result_.steps.front()[index(rank)]) result_.sent_bytes[index(rank)] = network_.sent(rank);
  }
  const double input = options_.input_seconds.empty() ? 0 : options_.input_seconds[index(rank)];
  if (is_body(plan_.role(rank).train, state.section) && state.iteration < steps_ && input > 0) {
    state.loads = true;
    compute(rank, input, now, Event::Kind::begin);
  } else {
    start_section(rank, now);
  }
}

/// Starts the instructions of a step once its input is available.
void Machine::begin_step(int rank, double now) {
  RankState& state = ranks_[index(rank)];
  state.loads = false;
  span(rank, 0, Activity::input, none, state.lanes[0].since, now);
  start_section(rank, now);
}

void Machine::start_section(int rank, double now) {
  const std::size_t lanes = ranks_[index(rank)].lanes.size();
  for (std::size_t lane = 0; lane < lanes; ++lane) advance(rank, lane, now);
}

void Machine::enter_next(int rank, double now) {
  RankState& state = ranks_[index(rank)];
  const auto all_ended = [&] {
    return std::all_of(state.lanes.begin(), state.lanes.end(), [](const LaneState& lane) { return lane.ended; });
  };
  while (!state.ended && all_ended()) {
    leave(rank, now);
    if (state.section == epilogue_section(plan_.role(rank).train)) {
      state.ended = true;
      continue;
    }
    ++state.iteration;
    const int body = body_of(state);
    state.section = body == none ? epilogue_section(plan_.role(rank).train) : body_section(body);
    enter(rank, now);
  }
}

int Machine::body_of(const RankState& state) const {
  if (state.iteration < steps_)
    return plan_.cadence.body(plan_.cadence.ramp_steps() + state.iteration, state.iteration);
  const std::vector<int>& drain = plan_.cadence.drain_after(steps_);
  const std::size_t drained = index(state.iteration - steps_);
  return drained < drain.size() ? drain[drained] : none;
}

StepTimeline* Machine::reported(int rank) {
  const RankState& state = ranks_[index(rank)];
  const int first = steps_ - reported_steps_;
  if (!is_body(plan_.role(rank).train, state.section) || state.iteration < first || state.iteration >= steps_)
    return nullptr;
  return &result_.steps[index(state.iteration - first)][index(rank)];
}

void Machine::leave(int rank, double now) {
  RankState& state = ranks_[index(rank)];
  StepTimeline* timeline = reported(rank);
  if (timeline == nullptr) return;
  const LaneState& first = state.lanes.front();
  // The other streams of the rank were still running.
  span(rank, 0, Activity::wait, state.last_complete, first.since, now);
  timeline->end = nanoseconds(now);
  if (timeline != &result_.steps.back()[index(rank)]) return;
  auto& sent = result_.sent_bytes[index(rank)];
  auto before = std::exchange(sent, network_.sent(rank));
  for (const auto& [operation, bytes] : before) sent[operation] -= bytes;
}

}  // namespace ddlbench::simulator
