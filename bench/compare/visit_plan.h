#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "bench/compare/case_pairs.h"

namespace ddlbench::bench {

/// What the visits of both contestants depend on besides their cases.
struct VisitConditions {
  double visit_seconds = 0.5;        ///< the minimum time of the timed steps, `measure/visit_seconds`
  double timeout_seconds = 60;       ///< `measure/timeout_seconds`: a stopped case makes no progress
  std::int64_t available_bytes = 0;  ///< of this machine's memory
};

/// How the visits of a pair of cases run.
struct VisitPlan {
  std::int64_t old_steps = 0, new_steps = 0;  ///< that a visit times: both take about the same time
  /// Both visits run at once, and while one has its time slice, the other one is stopped. Nothing: one after the other.
  std::optional<std::chrono::milliseconds> time_slice = {};
  std::string why_no_slices = {};  ///< "the memory does not suffice for all at once"
};

/// Plans visits of at least three steps (launcher/time_slice_plan.h). For slow steps, visits with time slices may take
/// up to five seconds. Both cases must have timed steps.
VisitPlan plan_visits(const CasePair& pair, const VisitConditions& conditions);

}  // namespace ddlbench::bench
