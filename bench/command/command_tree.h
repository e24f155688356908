#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace ddlbench::bench {

/// An option, a flag or a positional argument, as --help tells it.
struct OptionEntry {
  std::vector<std::string> names;  ///< "-c", "--config"; the one name of a positional argument
  std::string value;               ///< what --help writes in place of a value: "FILE"; empty: a flag
  std::string limits;              ///< of the value, in the words of CLI11: "INT in [1 - 10000]"; mostly empty
  std::string help;
  bool positional = false;
  bool required = false;
  bool repeatable = false;
};

/// A command, its options and its subcommands, without those that --help does not show.
struct CommandEntry {
  std::string name;
  std::string help;
  std::vector<OptionEntry> options;
  std::vector<CommandEntry> subcommands;
};

/// What `app` accepts. The manual page and the completion scripts are made from it.
CommandEntry command_tree(const CLI::App& app);

}  // namespace ddlbench::bench
