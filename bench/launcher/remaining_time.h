#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "bench/config/experiment.h"
#include "bench/launcher/case_durations.h"

namespace ddlbench::bench {

/// Estimates the rest of a run from what its cases and rounds have taken so far.
class RemainingTime {
 public:
  /// `cases`: those that are to run. `rounds_seconds`: the longest time that the rounds of a contract may take, which
  /// is expected until the first have ended. `durations` must outlive this object.
  RemainingTime(const std::vector<Case>& cases, double rounds_seconds, const CaseDurations& durations);

  /// Notes that a case has started, has ended, or was skipped; to be called once for each.
  void end_case(const Case& which);
  /// Notes how long the rounds of a contract took; 0 if it has none.
  void end_rounds(const std::string& contract_id, double seconds);

  /// Returns the seconds until all cases and rounds have ended; nothing until CaseDurations knows the time of a case.
  std::optional<double> seconds() const;

 private:
  const CaseDurations& durations_;
  CaseDurations::Cases left_;             ///< those that can run
  std::set<std::string> contracts_left_;  ///< whose rounds have not ended
  double longest_rounds_seconds_;
  double rounds_seconds_ = 0;  ///< of all that have ended
  int rounds_ended_ = 0;
};

}  // namespace ddlbench::bench
