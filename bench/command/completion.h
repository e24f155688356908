#pragma once

#include <string>

#include "bench/command/command_tree.h"

namespace ddlbench::bench {

/// Returns a script that completes subcommands, options and values in bash. It needs no other package.
std::string bash_completion(const CommandEntry& command);

/// Returns the script for zsh. Users source it, or save it as _ddlbench in a folder of `fpath`.
std::string zsh_completion(const CommandEntry& command);

}  // namespace ddlbench::bench
