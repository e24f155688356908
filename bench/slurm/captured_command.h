#pragma once

#include <string>
#include <vector>

namespace ddlbench::bench {

/// What a finished program wrote, and how it ended.
struct CapturedCommand {
  int exit_code = 0;  ///< 128 + its number if a signal ended it, as in a shell
  std::string output;
  std::string errors;
};

/// Runs a program of PATH with these arguments, the first of which is its name, and waits for its end. Throws
/// InputError if it cannot be started.
CapturedCommand run_captured(const std::vector<std::string>& words);

/// Returns the errors of a program in one line, without its name before them: "invalid partition specified: nowhere".
std::string error_line(const CapturedCommand& ended, const std::string& program);

}  // namespace ddlbench::bench
