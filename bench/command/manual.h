#pragma once

#include <string>
#include <vector>

#include "bench/command/command_tree.h"

namespace ddlbench::bench {

struct ExitStatus {
  std::string codes;
  std::string meaning;
};

/// The text of a manual page in addition to the command's options.
struct ManualText {
  std::string version;
  std::string description;
  std::vector<ExitStatus> exit_statuses;
};

/// Returns the manual page for section 1 as roff, with the macros of man(7).
std::string manual_page(const CommandEntry& command, const ManualText& text);

}  // namespace ddlbench::bench
