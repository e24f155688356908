#pragma once

#include <ostream>

namespace ddlbench::bench {

/// The exit codes of `ddlbench`.
namespace exit_code {
inline constexpr int ok = 0;
inline constexpr int case_failed = 1;
inline constexpr int usage = 2;           ///< error in the command line or in the configuration
inline constexpr int regression = 3;      ///< a comparison shows that a case became slower
inline constexpr int infrastructure = 4;  ///< failure of ddlbench or of its environment, not of the experiment
}  // namespace exit_code

/// Runs the whole command: parses it, executes it and returns the exit code. Results go to `out`; log, progress and
/// errors go to `err`. Does not throw.
int main_command(int argc, const char* const* argv, std::ostream& out, std::ostream& err) noexcept;

}  // namespace ddlbench::bench
