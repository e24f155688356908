#pragma once

#include <chrono>
#include <optional>

namespace ddlbench::bench {

// Each rank that an MPI launcher starts is two processes: a guard, and its child, which computes. Launchers do not
// report which rank died and why, and kill the others when one dies; the guard reports the death before the launcher
// can notice it. If the launcher or the supervisor has ended, the guard ends the rank; a stopped launcher could not do
// that.

/// The body of `ddlbench rank`, which the supervisor's mpiexec starts: the guard of `ddlbench worker`. Reports a killed
/// worker to the supervisor (Killed). Returns the worker's exit code, 128 + signal if a signal killed it, 1 if this
/// program is not the supervisor's build, 2 if no launcher started it.
int guard_rank();

/// Acts as the guard under a user's own launcher: starts this program again, with the environment variables that
/// libraries read when they are loaded, and guards it. Reports a killed rank by a line on standard error. Ends, and
/// reports, a rank whose launcher stays stopped for some seconds longer than the timeout, and a rank that itself stays
/// stopped before the first case or after the last one, when no other rank would notice. Returns the exit code, as
/// above; nothing if this process is not to be a guard.
std::optional<int> guard_in_ranks(char* arguments[]);

/// Called by a guarded process at the start of a case, with its timeout. From now on the other ranks watch this one.
void notify_guard_of_case(std::chrono::milliseconds timeout);
/// Called by a guarded process after the last case: from now on only the guard watches it.
void notify_guard_of_end(std::chrono::milliseconds timeout);
/// Called by a guarded process before it ends: continues a stopped guard, so that it can report to the launcher.
void wake_guard();

}  // namespace ddlbench::bench
