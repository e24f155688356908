#pragma once

#include <vector>

#include "program/check/report.h"

namespace ddlbench::program {

/// A message whose peer is known.
struct Routed {
  int peer = none;
  const Message* message = nullptr;
};

/// What one communication instruction of one rank does.
struct Communication {
  Location location;
  std::vector<Routed> sends;
  std::vector<Routed> receives;
  const CollectiveCall* call = nullptr;
  int group = none;  ///< of the call
  int member = none;
};

/// Who talks to whom in one of the two programs of every rank: peers and groups resolved.
struct Traffic {
  Mode mode = Mode::train;
  std::vector<std::vector<int>> groups;  ///< distinct lists of members
  /// Per rank and section, in issue order.
  std::vector<std::array<std::vector<Communication>, 3>> by_rank;

  /// Calls visitor(communication) in the order of prologue, `bodies` times the body, epilogue.
  template <class Visitor>
  void for_each(int rank, int bodies, Visitor&& visitor) const {
    const auto& own = by_rank[static_cast<std::size_t>(rank)];
    for (const Communication& c : own[0]) visitor(c);
    for (int i = 0; i < bodies; ++i)
      for (const Communication& c : own[1]) visitor(c);
    for (const Communication& c : own[2]) visitor(c);
  }
};

/// Two steps show whatever depends on the one before.
inline constexpr int steps_checked = 2;

/// Reports and leaves out what leads outside the mesh, to itself, or to a group without itself.
Traffic resolve_traffic(const Plan& plan, Mode mode, Report& report);

std::string describe(const Plan& plan, int rank, const Communication& communication);

}  // namespace ddlbench::program
