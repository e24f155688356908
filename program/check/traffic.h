#pragma once

#include <vector>

#include "program/check/report.h"

namespace ddlbench::program {

/// A message with its peer resolved.
struct Routed {
  int peer = none;
  const Message* message = nullptr;
};

/// What one communication instruction does on one rank.
struct Communication {
  Location location;
  std::vector<Routed> sends;
  std::vector<Routed> receives;
  const CollectiveCall* call = nullptr;
  int group = none;  ///< of `call`
  int member = none;
};

/// All communication of one of the two programs of every rank, with peers and groups resolved.
struct Traffic {
  Mode mode = Mode::train;
  std::vector<std::vector<int>> groups;  ///< distinct lists of members
  /// By rank and section, in issue order.
  std::vector<std::array<std::vector<Communication>, 3>> by_rank;

  /// Calls visitor(communication) for the prologue, then `bodies` times for the body, then for the epilogue.
  void for_each(int rank, int bodies, auto&& visitor) const {
    const auto& own = by_rank[static_cast<std::size_t>(rank)];
    for (const Communication& c : own[0]) visitor(c);
    for (int i = 0; i < bodies; ++i)
      for (const Communication& c : own[1]) visitor(c);
    for (const Communication& c : own[2]) visitor(c);
  }
};

/// Two steps suffice to show everything that depends on the previous step.
inline constexpr int steps_checked = 2;

/// Resolves peers and groups. Reports and omits a message to the rank itself or outside the plan, and a collective
/// whose group lacks its own rank or leaves the plan.
Traffic resolve_traffic(const Plan& plan, Mode mode, Report& report);

std::string describe(const Plan& plan, int rank, const Communication& communication);

}  // namespace ddlbench::program
