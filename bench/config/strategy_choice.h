#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/option.h"
#include "bench/config/axis_value.h"
#include "bench/config/limits.h"

namespace ddlbench::bench {

/// A strategy, and the settings that all strategies share.
struct StrategyChoice {
  Choice choice;
  std::optional<std::vector<int>> ranks = {};  ///< in place of those of the devices
  std::string expect = "ok";                   ///< the status that counts as success

  /// Values that are not settings.
  std::string pointer = {};          ///< JSON pointer of its entry: "/strategies/0"
  int entry = 0;                     ///< index of the entry; an entry with lists gives several strategies
  int index = 0;                     ///< among all strategies of the experiment
  std::vector<AxisValue> axes = {};  ///< what was chosen from the lists of the entry
  std::string label = {};            ///< name in tables: the kind and the settings that differ from their defaults
};

/// Returns the statuses that a strategy can be expected to have.
std::vector<std::string> expectable_statuses();

template <class Visitor>
void describe(Visitor& v, StrategyChoice& s) {
  v("ranks", s.ranks, Range{1, max_ranks}, "Numbers of ranks for this strategy, instead of `devices.ranks`.");
  v("expect", s.expect, v.names(&expectable_statuses), "Expected status, which counts as success.");
}

}  // namespace ddlbench::bench
