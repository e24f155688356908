#pragma once

#include <functional>
#include <ostream>

#include "bench/command/arguments.h"
#include "bench/command/cases.h"

namespace ddlbench::bench {

using Choose = std::function<ChosenCases(const Arguments&, int cores)>;

/// Runs the cases that `choose` gives, or lists them where a dry run is asked for. Each runs in processes of its
/// own; where a person's own MPI launcher started this one among others, in those. Returns the exit code.
int run_cases(const Arguments& arguments, const Choose& choose, std::ostream& out, std::ostream& err);

}  // namespace ddlbench::bench
