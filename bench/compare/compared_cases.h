#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/compare/case_pairs.h"
#include "bench/statistics/verdict.h"

namespace ddlbench::bench {

/// What two runs show about a case.
struct ComparedCase {
  CasePair cases;
  /// Of the new run (the first) with the old one; nothing if the case is not comparable, which `cases.why` explains.
  std::optional<TimeComparison> times;
  LogMargins margins;
  bool without_rounds = false;  ///< the times are of steps of one process in each run, which cannot support a claim
  double adjusted_p = 1;
  Verdict verdict = Verdict::not_comparable;

  Interval ratio() const;  ///< of the new run's time to the old one's; only if there are times
};

/// Sets the verdicts, with Holm's correction over all cases of the table that have rounds. A case without rounds is
/// `ambiguous`.
void decide(std::vector<ComparedCase>& cases);

}  // namespace ddlbench::bench
