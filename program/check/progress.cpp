#include <fmt/core.h>
#include <algorithm>
#include <array>
#include <deque>
#include <map>

#include "program/check/parts.h"

namespace ddlbench::program {
namespace {

struct ChannelCounts {
  int sends = 0;  ///< started so far
  int receives = 0;
};

/// Runs all ranks at once, without time. Compute and copies take none. On each stream an instruction starts when those
/// before it are complete; a send completes when its receive has started, a collective when all members have started
/// it. A rank is examined again only when something that it waits for has happened, so the total time is linear in
/// instructions and messages.
class Simulation {
 public:
  Simulation(const Plan& plan, const Traffic& traffic, Report& report)
      : plan_(plan),
        traffic_(traffic),
        report_(report),
        ranks_(static_cast<std::size_t>(plan.ranks())),
        arrivals_(traffic.groups.size()) {}

  void run() {
    for (int rank = 0; rank < plan_.ranks(); ++rank) {
      enter(rank);
      ready_.push_back(rank);
    }
    while (!ready_.empty()) {
      const int rank = ready_.front();
      ready_.pop_front();
      while (advance(rank)) {
      }
    }
    for (int rank = 0; rank < plan_.ranks(); ++rank)
      if (!ended(rank)) report_stuck(rank);
  }

 private:
  int section_of(std::size_t stage) const { return traffic_.order[stage]; }

  /// The counterparts that the communication in progress waits for.
  struct Pending {
    const Communication* communication = nullptr;
    std::vector<int> send_numbers;
    std::vector<int> receive_numbers;
    int call_number = 0;
  };

  struct State {
    std::size_t stage = 0;  ///< in Traffic::order
    std::array<std::vector<InstructionId>, 3> streams;
    std::array<std::size_t, 3> heads{};
    std::vector<bool> complete;
    std::size_t next_communication = 0;
    Pending pending;
    std::map<int, int> calls;  ///< number of calls so far, by group
  };

  State& state(int rank) { return ranks_[static_cast<std::size_t>(rank)]; }
  bool ended(int rank) { return state(rank).stage == traffic_.order.size(); }
  const Program& program(int rank) const { return program_of(plan_.role(rank), traffic_.mode); }
  const Instructions& section(int rank) { return program::section(program(rank), section_of(state(rank).stage)); }

  /// Enters the section of the current stage, or of the next stage whose section is not empty.
  void enter(int rank) {
    State& s = state(rank);
    while (!ended(rank) && section(rank).empty()) ++s.stage;
    for (auto& stream : s.streams) stream.clear();
    s.heads = {};
    s.next_communication = 0;
    if (ended(rank)) return;
    const auto& instructions = section(rank);
    s.complete.assign(instructions.size(), false);
    for (std::size_t i = 0; i < instructions.size(); ++i)
      s.streams[static_cast<std::size_t>(instructions[i].stream)].push_back(static_cast<InstructionId>(i));
  }

  /// Returns true if the rank made progress.
  bool advance(int rank) {
    State& s = state(rank);
    if (ended(rank)) return false;
    bool moved = false, left = false;
    for (std::size_t stream = 0; stream < s.streams.size(); ++stream) {
      while (s.heads[stream] < s.streams[stream].size()) {
        const InstructionId id = s.streams[stream][s.heads[stream]];
        if (!runs_through(rank, id)) break;
        s.complete[static_cast<std::size_t>(id)] = true;
        ++s.heads[stream];
        moved = true;
      }
      left = left || s.heads[stream] < s.streams[stream].size();
    }
    if (!left) {
      ++s.stage;
      enter(rank);
      return true;
    }
    return moved;
  }

  bool runs_through(int rank, InstructionId id) {
    State& s = state(rank);
    const Instruction& instruction = section(rank)[static_cast<std::size_t>(id)];
    const bool under_way = instruction.stream == graph::Stream::communication && s.pending.communication != nullptr;
    if (!under_way && !may_start(s, instruction)) return false;
    if (instruction.stream != graph::Stream::communication) return true;
    if (!under_way) start(rank);
    if (!met(rank)) return false;
    s.pending = {};
    return true;
  }

  /// A step ends only when everything in it is complete, so dependencies on the previous iteration are satisfied.
  static bool may_start(const State& s, const Instruction& instruction) {
    return std::all_of(instruction.after.begin(), instruction.after.end(), [&](const Dependency& d) {
      return d.iterations > 0 || s.complete[static_cast<std::size_t>(d.instruction)];
    });
  }

  void start(int rank) {
    State& s = state(rank);
    const auto& own = traffic_.by_rank[static_cast<std::size_t>(rank)];
    const Communication& c = own[static_cast<std::size_t>(section_of(s.stage))][s.next_communication++];
    s.pending = {};
    s.pending.communication = &c;
    for (const Routed& send : c.sends) {
      s.pending.send_numbers.push_back(channels_[{rank, send.peer}].sends++);
      ready_.push_back(send.peer);
    }
    for (const Routed& receive : c.receives) {
      s.pending.receive_numbers.push_back(channels_[{receive.peer, rank}].receives++);
      ready_.push_back(receive.peer);
    }
    if (c.call == nullptr) return;
    s.pending.call_number = s.calls[c.group]++;
    auto& arrived = arrivals_[static_cast<std::size_t>(c.group)];
    if (arrived.size() <= static_cast<std::size_t>(s.pending.call_number)) arrived.emplace_back(0);
    const auto& group = traffic_.groups[static_cast<std::size_t>(c.group)];
    if (++arrived[static_cast<std::size_t>(s.pending.call_number)] == static_cast<int>(group.size()))
      ready_.insert(ready_.end(), group.begin(), group.end());
  }

  bool met(int rank) {
    const Pending& p = state(rank).pending;
    const Communication& c = *p.communication;
    for (std::size_t i = 0; i < c.sends.size(); ++i)
      if (channels_[{rank, c.sends[i].peer}].receives <= p.send_numbers[i]) return false;
    for (std::size_t i = 0; i < c.receives.size(); ++i)
      if (channels_[{c.receives[i].peer, rank}].sends <= p.receive_numbers[i]) return false;
    if (c.call == nullptr) return true;
    const auto group = static_cast<std::size_t>(c.group);
    return arrivals_[group][static_cast<std::size_t>(p.call_number)] == static_cast<int>(traffic_.groups[group].size());
  }

  /// Returns the members that have not reached the collective in progress.
  std::vector<int> missing(int rank) {
    const Pending& p = state(rank).pending;
    const auto group = static_cast<std::size_t>(p.communication->group);
    std::vector<int> ranks;
    for (int member : traffic_.groups[group])
      if (state(member).calls[p.communication->group] <= p.call_number) ranks.push_back(member);
    return ranks;
  }

  void report_stuck(int rank) {
    const Pending& p = state(rank).pending;
    if (p.communication == nullptr) {
      report_.add(rank, "plan", "makes no progress, and no communication is pending");
      return;
    }
    const Communication& c = *p.communication;
    std::vector<int> waited_for;
    std::string text = "deadlock: waits for ";
    const auto note = [&](int peer, const std::string& doing, int tag) {
      text += fmt::format("{}{} to {} tag {}", waited_for.empty() ? "rank " : ", and for rank ", peer, doing, tag);
      waited_for.push_back(peer);
    };
    for (std::size_t i = 0; i < c.sends.size(); ++i)
      if (channels_[{rank, c.sends[i].peer}].receives <= p.send_numbers[i])
        note(c.sends[i].peer, "receive", c.sends[i].message->tag);
    for (std::size_t i = 0; i < c.receives.size(); ++i)
      if (channels_[{c.receives[i].peer, rank}].sends <= p.receive_numbers[i])
        note(c.receives[i].peer, "send", c.receives[i].message->tag);
    if (c.call != nullptr) {
      waited_for = missing(rank);
      text += describe(waited_for) + " to join the collective";
    }
    for (int peer : waited_for) text += fmt::format("; rank {} {}", peer, standing(peer));
    if (c.call == nullptr) text += ". Post the opposing sends and receives as one exchange";
    report_.add(rank, describe(plan_, rank, c), text);
  }

  std::string standing(int rank) {
    const Communication* c = state(rank).pending.communication;
    if (ended(rank)) return "has ended";
    return c == nullptr ? "makes no progress" : "waits at " + describe(plan_, rank, *c);
  }

  const Plan& plan_;
  const Traffic& traffic_;
  Report& report_;
  std::vector<State> ranks_;
  std::map<std::pair<int, int>, ChannelCounts> channels_;
  std::vector<std::vector<int>> arrivals_;  ///< by group and call
  std::deque<int> ready_;
};

}  // namespace

void check_progress(const Plan& plan, const Traffic& traffic, Report& report) {
  Simulation(plan, traffic, report).run();
}

}  // namespace ddlbench::program
