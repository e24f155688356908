#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/command/case_compiler.h"
#include "bench/config/experiment.h"

namespace ddlbench::bench {

/// The work of one case.
struct CaseWork {
  std::int64_t steps = 0;  ///< of training, with a forward step as a third of one; includes the case's share of the
                           ///< one-rank reference of its contract
  double flops_per_step = 0;
  std::optional<double> profiled_step_seconds;  ///< of the rank with the most work, without communication; empty unless
                                                ///< a profile has the times of all its ops
};

/// Returns the work of each case, in order, without profiled times; nothing for a case that cannot run.
std::vector<CaseWork> work_of(const Experiment& experiment, const std::vector<Case>& cases, CaseCompiler& compiler);

/// Adds the profiled times, for which it compiles each case; does nothing for more cases than that is worth. `cores`:
/// of this machine.
void add_profiled_times(std::vector<CaseWork>& work, const std::vector<Case>& cases, CaseCompiler& compiler, int cores);

/// Returns a line that says how long the cases will take and what this is based on: the records of an earlier run in
/// `results`, else cached profiles, else counted FLOPs at the peak rate of this machine, which is a lower bound. It
/// measures the peak if it needs it, in about a second.
std::string expected_time(const Experiment& experiment, const std::vector<Case>& cases,
                          const std::vector<CaseWork>& work, int cores, const std::string& results = "results");

}  // namespace ddlbench::bench
