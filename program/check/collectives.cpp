#include <fmt/core.h>
#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "program/check/parts.h"
#include "program/cost_table.h"

namespace ddlbench::program {
namespace {

using Calls = std::vector<const Communication*>;

std::string describe_call(const CollectiveCall& call, int members) {
  return cost_key(call, members);
}

bool equivalent(const CollectiveCall& a, const CollectiveCall& b) {
  return a.kind == b.kind && a.reduction == b.reduction && a.algorithm == b.algorithm && a.counts == b.counts &&
         a.in_turn == b.in_turn && a.input.type.dtype == b.input.type.dtype && moved_elements(a) == moved_elements(b);
}

/// Returns what is wrong with the sizes of an all-to-all, or an empty string. Transports cannot run one in place.
std::string all_to_all_error(const CollectiveCall& call, std::int64_t own) {
  const auto elements = [](const Operand& operand) { return graph::elements(operand.type.shape); };
  if (elements(call.input) != moved_elements(call))
    return fmt::format("its input has {} elements, but its counts sum to {}", elements(call.input),
                       moved_elements(call));
  const auto members = static_cast<std::int64_t>(call.counts.size());
  if (elements(call.output) != members * own)
    return fmt::format("its output has {} elements, but {} members send {} each", elements(call.output), members, own);
  if (call.input.view == call.output.view) return "its input is its output, but an all_to_all cannot run in place";
  return "";
}

/// Returns what is wrong with a single call, or an empty string.
std::string shape_error(const Communication& c, int members) {
  const CollectiveCall& call = *c.call;
  const auto elements = [](const Operand& operand) { return graph::elements(operand.type.shape); };
  if (call.input.type.dtype != call.output.type.dtype) return "its input and output have different dtypes";
  const bool gathers = call.kind == graph::Collective::all_gather;
  const bool swaps = call.kind == graph::Collective::all_to_all;
  if (!gathers && !swaps && call.kind != graph::Collective::reduce_scatter) {
    if (elements(call.input) != elements(call.output))
      return fmt::format("its input has {} elements and its output {}", elements(call.input), elements(call.output));
    return "";
  }
  if (call.counts.size() != static_cast<std::size_t>(members))
    return fmt::format("it has {} counts for {} members", call.counts.size(), members);
  const std::int64_t own = call.counts[static_cast<std::size_t>(c.member)];
  if (swaps) return all_to_all_error(call, own);
  const Operand& whole = gathers ? call.output : call.input;
  const Operand& part = gathers ? call.input : call.output;
  if (elements(part) != own)
    return fmt::format("its own part has {} elements, but its count is {}", elements(part), own);
  if (elements(whole) != moved_elements(call))
    return fmt::format("its whole has {} elements, but its counts sum to {}", elements(whole), moved_elements(call));
  return "";
}

class CollectiveCheck {
 public:
  CollectiveCheck(const Plan& plan, const Traffic& traffic, Report& report)
      : plan_(plan), traffic_(traffic), report_(report), calls_(static_cast<std::size_t>(plan.ranks())) {}

  void run() {
    for (int rank = 0; rank < plan_.ranks(); ++rank)
      traffic_.for_each(rank, [&](const Communication& c) {
        if (c.call == nullptr) return;
        calls_[static_cast<std::size_t>(rank)][c.group].push_back(&c);
        const std::string wrong = shape_error(c, static_cast<int>(group(c.group).size()));
        if (!wrong.empty()) report_.add(rank, describe(plan_, rank, c), wrong);
      });
    for (std::size_t g = 0; g < traffic_.groups.size(); ++g)
      for (int member : traffic_.groups[g]) compare(static_cast<int>(g), traffic_.groups[g].front(), member);
    compare_orders();
  }

 private:
  const std::vector<int>& group(int id) const { return traffic_.groups[static_cast<std::size_t>(id)]; }
  const Calls& calls(int rank, int id) { return calls_[static_cast<std::size_t>(rank)][id]; }

  void compare(int id, int first, int member) {
    const Calls& mine = calls(member, id);
    const Calls& theirs = calls(first, id);
    const int n = static_cast<int>(group(id).size());
    for (std::size_t i = 0; i < std::min(mine.size(), theirs.size()); ++i) {
      if (equivalent(*mine[i]->call, *theirs[i]->call)) continue;
      report_.add(member, describe(plan_, member, *mine[i]),
                  fmt::format("is collective {} of {} and calls {}, where rank {} calls {} in {}: members must make "
                              "the same calls in the same order",
                              i, describe(group(id)), describe_call(*mine[i]->call, n), first,
                              describe_call(*theirs[i]->call, n), describe(plan_, first, *theirs[i])));
      return;
    }
    if (mine.size() != theirs.size()) {
      const bool more = mine.size() > theirs.size();
      const int caller = more ? member : first, missing = more ? first : member;
      const Communication& call = *(more ? mine : theirs)[std::min(mine.size(), theirs.size())];
      report_.add(caller, describe(plan_, caller, call),
                  fmt::format("is a collective of {}, but rank {} does not call it", describe(group(id)), missing));
    }
  }

  /// Checks that ranks which share two groups interleave the calls of both groups in the same order.
  void compare_orders() {
    std::set<std::pair<int, int>> pairs;
    for (const auto& own : calls_)
      for (auto a = own.begin(); a != own.end(); ++a)
        for (auto b = std::next(a); b != own.end(); ++b) pairs.insert({a->first, b->first});
    for (const auto& [a, b] : pairs) {
      std::vector<int> shared;
      std::set_intersection(group(a).begin(), group(a).end(), group(b).begin(), group(b).end(),
                            std::back_inserter(shared));
      for (std::size_t i = 1; i < shared.size(); ++i) compare_order(a, b, shared[0], shared[i]);
    }
  }

  void compare_order(int a, int b, int first, int other) {
    const Calls mine = interleaved(other, a, b), theirs = interleaved(first, a, b);
    for (std::size_t i = 0; i < std::min(mine.size(), theirs.size()); ++i) {
      if (mine[i]->group == theirs[i]->group) continue;
      report_.add(other, describe(plan_, other, *mine[i]),
                  fmt::format("is a collective of {}, but rank {} first calls {} of {}: ranks that share collectives "
                              "must call them in the same order",
                              describe(group(mine[i]->group)), first, describe(plan_, first, *theirs[i]),
                              describe(group(theirs[i]->group))));
      return;
    }
  }

  Calls interleaved(int rank, int a, int b) const {
    Calls found;
    traffic_.for_each(rank, [&](const Communication& c) {
      if (c.call != nullptr && (c.group == a || c.group == b)) found.push_back(&c);
    });
    return found;
  }

  const Plan& plan_;
  const Traffic& traffic_;
  Report& report_;
  std::vector<std::map<int, Calls>> calls_;  ///< per rank and group
};

}  // namespace

void check_collectives(const Plan& plan, const Traffic& traffic, Report& report) {
  CollectiveCheck(plan, traffic, report).run();
}

}  // namespace ddlbench::program
