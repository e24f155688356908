#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "bench/compare/case_pairs.h"

namespace ddlbench::bench {

/// Where the visits of both contestants run.
struct VisitPlace {
  bool one_host = true;              ///< all processes of the preparation ran on this machine
  bool batch_job = false;            ///< of Slurm, whose daemons start the ranks of mpiexec
  std::int64_t available_bytes = 0;  ///< of this machine's memory
};

/// How the visits of a pair of cases run.
struct VisitPlan {
  std::int64_t old_steps = 0, new_steps = 0;  ///< that a visit times: they take about as long
  /// Both visits run at once, and each one is stopped while the other has its turn; nothing: one after the other.
  std::optional<std::chrono::milliseconds> turn = {};
  std::string why_no_turns = {};  ///< "the memory does not suffice for both at once"
};

/// Plans visits that time steps for at least `visit_seconds`. Turns are so short that whatever else the machine does
/// affects both visits alike, but so long that few steps contain a change of turns: the interquartile mean of the steps
/// leaves these out. For slow steps, visits may take up to five seconds. Both cases must have timed steps.
VisitPlan plan_visits(const CasePair& pair, double visit_seconds, const VisitPlace& place);

}  // namespace ddlbench::bench
