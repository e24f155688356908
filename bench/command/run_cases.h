#pragma once

#include <ostream>

#include "bench/command/arguments.h"
#include "bench/command/cases.h"

namespace ddlbench::bench {

/// Runs the cases as the arguments say, or lists them where they ask for a dry run. Returns the exit code.
int run_cases(const ChosenCases& chosen, const Arguments& arguments, std::ostream& out, std::ostream& err);

}  // namespace ddlbench::bench
