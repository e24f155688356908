#include "program/check/traffic.h"

#include <fmt/core.h>
#include <algorithm>
#include <map>

#include "base/error.h"

namespace ddlbench::program {
namespace {

class Resolver {
 public:
  Resolver(const Plan& plan, Report& report, Traffic& traffic) : plan_(plan), report_(report), traffic_(traffic) {}

  void add_rank(int rank) {
    rank_ = rank;
    const Program& program = program_of(plan_.role(rank), traffic_.mode);
    auto& own = traffic_.by_rank.emplace_back(sections(program).size());
    for (int s = 0; s <= epilogue_section(program); ++s) {
      const Instructions& section = program::section(program, s);
      for (std::size_t i = 0; i < section.size(); ++i) {
        current_ = {};
        current_.location = {traffic_.mode, s, static_cast<InstructionId>(i)};
        if (std::visit(*this, section[i].action)) own[static_cast<std::size_t>(s)].push_back(std::move(current_));
      }
    }
  }

  bool operator()(const Send& send) { return route(send.message, current_.sends); }
  bool operator()(const Receive& receive) { return route(receive.message, current_.receives); }
  bool operator()(const Exchange& exchange) {
    for (const Message& message : exchange.sends) route(message, current_.sends);
    for (const Message& message : exchange.receives) route(message, current_.receives);
    return true;
  }
  bool operator()(const CollectiveCall& call) {
    std::vector<int> ranks;
    try {
      ranks = members(call.group, plan_.meshes, rank_);
    } catch (const ContractError& error) {
      reject(std::string("its group is invalid: ") + error.what());
      return false;
    }
    const auto own = std::find(ranks.begin(), ranks.end(), rank_);
    if (own == ranks.end()) {
      reject(fmt::format("its group of {} does not contain its own rank {}", describe(ranks), rank_));
      return false;
    }
    if (ranks.front() < 0 || ranks.back() >= plan_.ranks()) {
      reject(fmt::format("its group of {} exceeds the plan's {} ranks", describe(ranks), plan_.ranks()));
      return false;
    }
    current_.call = &call;
    current_.member = static_cast<int>(own - ranks.begin());
    current_.group = id_of(std::move(ranks));
    return true;
  }
  bool operator()(const Compute&) { return false; }
  bool operator()(const Copy&) { return false; }
  bool operator()(const Pack&) { return false; }

 private:
  bool route(const Message& message, std::vector<Routed>& list) {
    const std::string tag = fmt::format("its peer for tag {}", message.tag);
    int peer = none;
    try {
      peer = resolve(message.peer, plan_.meshes, plan_.role(rank_).mesh, rank_);
    } catch (const ContractError& error) {
      reject(fmt::format("{} is invalid: {}", tag, error.what()));
      return false;
    }
    if (peer == rank_ || peer < 0 || peer >= plan_.ranks()) {
      reject(tag + (peer == rank_ ? " is itself: a copy within a rank needs no message"
                                  : fmt::format(" is rank {} of a plan of {} ranks", peer, plan_.ranks())));
      return false;
    }
    list.push_back({peer, &message});
    return true;
  }

  int id_of(std::vector<int> ranks) {
    const auto [found, added] = ids_.try_emplace(ranks, static_cast<int>(traffic_.groups.size()));
    if (added) traffic_.groups.push_back(std::move(ranks));
    return found->second;
  }

  void reject(const std::string& what) {
    report_.add(rank_, describe(program_of(plan_.role(rank_), traffic_.mode), current_.location), what);
  }

  const Plan& plan_;
  Report& report_;
  Traffic& traffic_;
  std::map<std::vector<int>, int> ids_;
  int rank_ = 0;
  Communication current_;
};

std::vector<int> sections_in_order(const Plan& plan, Mode mode) {
  const Cadence cadence = mode == Mode::train ? plan.cadence : Cadence{};
  std::vector<int> order{prologue_section};
  const auto add = [&order](const std::vector<Cadence::Turn>& turns) {
    for (const Cadence::Turn& turn : turns)
      for (std::int64_t i = 0; i < std::min<std::int64_t>(turn.steps, 2); ++i) order.push_back(body_section(turn.body));
  };
  const int epilogue = epilogue_section(program_of(plan.roles.front(), mode));
  const auto end = [&](std::size_t steps) {
    for (const int body : cadence.drain_after(static_cast<std::int64_t>(steps))) order.push_back(body_section(body));
    order.push_back(epilogue);
  };
  for (std::size_t steps = 1; steps <= cadence.fill.size(); ++steps) {
    for (std::size_t i = 0; i < steps; ++i) order.push_back(body_section(cadence.fill[i]));
    if (steps == cadence.fill.size()) continue;
    end(steps);
    order.push_back(prologue_section);
  }
  add(cadence.ramp);
  add(cadence.cycle);
  add(cadence.cycle);
  end(cadence.drain.size());
  return order;
}

}  // namespace

Traffic resolve_traffic(const Plan& plan, Mode mode, Report& report) {
  Traffic traffic;
  traffic.mode = mode;
  traffic.order = sections_in_order(plan, mode);
  Resolver resolver(plan, report, traffic);
  for (int rank = 0; rank < plan.ranks(); ++rank) resolver.add_rank(rank);
  return traffic;
}

std::string describe(const Plan& plan, int rank, const Communication& communication) {
  return describe(program_of(plan.role(rank), communication.location.mode), communication.location);
}

}  // namespace ddlbench::program
