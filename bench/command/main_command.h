#pragma once

#include <ostream>

namespace ddlbench::bench {

/// What a run of `ddlbench` says to whoever started it.
namespace exit_code {
inline constexpr int ok = 0;
inline constexpr int case_failed = 1;
inline constexpr int usage = 2;           ///< of the command or of the configuration
inline constexpr int infrastructure = 4;  ///< ddlbench or what it stands on, not the experiment
}  // namespace exit_code

/// The whole command: parses, does, and returns the exit code. Results go to `out`, log, progress and errors
/// to `err`. Throws nothing.
int main_command(int argc, const char* const* argv, std::ostream& out, std::ostream& err) noexcept;

}  // namespace ddlbench::bench
