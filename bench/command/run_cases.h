#pragma once

#include <ostream>

#include "bench/command/arguments.h"
#include "bench/command/resume.h"

namespace ddlbench::bench {

/// Runs the cases that `choose` selects, or lists them for a dry run. Each case runs in processes of its own or, if a
/// user's MPI launcher started this process among others, in those. Returns the exit code.
int run_cases(const Arguments& arguments, const Choose& choose, std::ostream& out, std::ostream& err);

}  // namespace ddlbench::bench
