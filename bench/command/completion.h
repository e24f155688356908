#pragma once

#include <string>

#include "bench/command/command_tree.h"

namespace ddlbench::bench {

/// A script that completes subcommands, options and values in bash. Needs no other package.
std::string bash_completion(const CommandEntry& command);

/// The same for zsh, as a file in a folder of `fpath` (there it is to be called _ddlbench), or sourced.
std::string zsh_completion(const CommandEntry& command);

}  // namespace ddlbench::bench
