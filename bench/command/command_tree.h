#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace ddlbench::bench {

/// An option, a flag or a positional argument, as --help describes it.
struct OptionEntry {
  std::vector<std::string> names;  ///< "-c", "--config"; the one name of a positional argument
  std::string value;               ///< the name of its value in --help: "FILE"; empty for a flag
  std::string limits;              ///< of the value, as CLI11 prints them: "INT in [1 - 10000]"; usually empty
  std::string help;
  bool positional = false;
  bool required = false;
  bool repeatable = false;
};

/// A command with the options and subcommands that --help shows.
struct CommandEntry {
  std::string name;
  std::string help;
  std::vector<OptionEntry> options;
  std::vector<CommandEntry> subcommands;
};

/// Returns the commands and options of `app`. The manual page and the completion scripts are generated from it.
CommandEntry command_tree(const CLI::App& app);

}  // namespace ddlbench::bench
