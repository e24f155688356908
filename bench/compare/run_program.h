#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "bench/launcher/launch_command.h"
#include "bench/launcher/stop_signals.h"

namespace ddlbench::bench {

/// A program to run, whose output goes to a new file `log`.
struct ProgramStart {
  LaunchCommand command;
  std::string log;
};

/// How a program ended.
struct ProgramEnd {
  bool stopped = false;    ///< this process received a signal that ended it, or a program that ran at the same time
  int exit_code = 0;       ///< 128 + its number if a signal ended it, as in a shell
  std::string last_lines;  ///< of its output, at most three, joined by "; "
};

/// Runs a program until it ends. A stop signal ends it: the first one passes it on and gives it five seconds, a second
/// one kills it with all of its descendants. Throws InputError if the program cannot be started or the log cannot be
/// written.
ProgramEnd run_program(const ProgramStart& start, const StopSignals& signals);

/// Runs programs one after the other, unless a signal stops one of them. Returns how those ended that it started.
std::vector<ProgramEnd> run_successively(const std::vector<ProgramStart>& starts, const StopSignals& signals);

/// Starts several programs and runs them in turns until all have ended: while one of them runs for a time slice, the
/// others are stopped (SIGSTOP) with all of their descendants on this machine. Otherwise as run_program. Returns how
/// they ended, in their order. Throws InputError if a program cannot be stopped.
std::vector<ProgramEnd> run_alternately(const std::vector<ProgramStart>& starts, std::chrono::milliseconds time_slice,
                                        const StopSignals& signals);

}  // namespace ddlbench::bench
