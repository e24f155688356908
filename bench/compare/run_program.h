#pragma once

#include <string>

#include "bench/launcher/launch_command.h"
#include "bench/launcher/stop_signals.h"

namespace ddlbench::bench {

/// How a program ended.
struct ProgramEnd {
  bool stopped = false;    ///< because of a signal to this process
  int exit_code = 0;       ///< 128 + its number if a signal ended it, as in a shell
  std::string last_lines;  ///< of its output, at most three, joined by "; "
};

/// Runs a program until it ends, and writes its output to a new file `log`. A stop signal ends it: the first one passes
/// it on and gives it five seconds, a second one kills it with all of its descendants. Throws InputError if the program
/// cannot be started or the log cannot be written.
ProgramEnd run_program(const LaunchCommand& command, const std::string& log, const StopSignals& signals);

}  // namespace ddlbench::bench
