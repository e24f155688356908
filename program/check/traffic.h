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
  std::vector<std::vector<std::vector<Communication>>> by_rank;
  /// The sections to walk, in this order, to see all that can happen: the prologue, the fill, the ramp and two cycles
  /// of the cadence, and the epilogue; before that, trainings that end within the fill. Of steps with the same body,
  /// two suffice to show what depends on the previous step.
  std::vector<int> order;

  /// Calls visitor(communication) in that order.
  void for_each(int rank, auto&& visitor) const {
    const auto& own = by_rank[static_cast<std::size_t>(rank)];
    for (const int section : order)
      for (const Communication& c : own[static_cast<std::size_t>(section)]) visitor(c);
  }
};

/// Resolves peers and groups. Reports and omits a message to the rank itself or outside the plan, and a collective
/// whose group lacks its own rank or leaves the plan.
Traffic resolve_traffic(const Plan& plan, Mode mode, Report& report);

std::string describe(const Plan& plan, int rank, const Communication& communication);

}  // namespace ddlbench::program
