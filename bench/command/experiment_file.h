#pragma once

#include "bench/command/arguments.h"

namespace ddlbench::bench {

/// Throws InputError if the arguments name no experiment, or if the first word of the command line is neither a file
/// nor a subcommand. The error lists the subcommands and suggests the nearest one.
void require_experiment_file(const Arguments& arguments);

}  // namespace ddlbench::bench
