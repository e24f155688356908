#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/records/record.h"

namespace ddlbench::bench {

/// A case that could run at once with others.
struct SlicedCase {
  double step_seconds = 0;
  std::int64_t cycle_steps = 1;  ///< steps that are timed together
  double setup_seconds = 0;      ///< an estimate: until its model is compiled
  double memory_bytes = 0;       ///< an upper estimate, of all ranks together
  int processes = 1;
  std::string why_unstoppable = {};  ///< why its processes cannot be suspended for a while; empty if they can
};

/// Describes a case that has timed steps.
SlicedCase sliced_case(const CaseRecord& record);

struct SliceConditions {
  double visit_seconds = 0.5;          ///< the minimum time of the timed steps, `measure/visit_seconds`
  double longest_visit_seconds = 0.5;  ///< slow steps may lengthen it up to this
  double timeout_seconds = 60;         ///< `measure/timeout_seconds`: a suspended case makes no progress
  std::int64_t available_bytes = 0;    ///< of this machine's memory
};

/// How the visits of several cases run.
struct SlicePlan {
  double visit_seconds = 0;  ///< of the timed steps of each
  /// All visits run at once, and while one has its time slice, the others are suspended. Nothing: one after the other.
  std::optional<std::chrono::milliseconds> time_slice = {};
  std::string why_no_slices = {};  ///< "the memory does not suffice for all at once"
  std::size_t obstacle = 0;        ///< then the case without which the others are most likely to have time slices
};

/// Plans time slices that are so short that whatever else the machine does affects all visits alike, but so long that
/// few steps contain the end of one: these are left out (platform/pauses.h).
SlicePlan plan_time_slices(const std::vector<SlicedCase>& cases, const SliceConditions& conditions);

}  // namespace ddlbench::bench
