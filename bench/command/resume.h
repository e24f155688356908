#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/command/arguments.h"
#include "bench/command/cases.h"
#include "bench/page/run_results.h"

namespace ddlbench::bench {

/// Selects cases as choose_cases() does.
using Choose = std::function<ChosenCases(const Arguments&, int cores)>;

/// A run that ended before its end, and the cases that it was to have.
struct ResumedRun {
  RunResults results;
  ChosenCases chosen;                ///< all planned cases; for a dry run those that are left
  std::vector<std::string> changes;  ///< what results depend on and differs now, a line each
};

/// Throws InputError if options are given that only make sense with --resume, or only without.
void check_resume_options(const Arguments& arguments);

/// Reads the folder that --resume names, and expands its configuration again, or the one that --config names. Throws
/// InputError if the folder is not one of a run with a plan, if a planned case no longer exists, or if something
/// changed that results depend on (configuration, program, devices, libraries, data) and --accept-changes is not
/// given; the error lists it.
ResumedRun read_resumed_run(const Arguments& arguments, const Choose& choose, int cores);

/// Returns "12 of 50 cases have ended; 38 are left to run, 2 of them again".
std::string what_is_left(const ResumedRun& resumed, Retry retry);

}  // namespace ddlbench::bench
