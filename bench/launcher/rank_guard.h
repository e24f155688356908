#pragma once

#include <chrono>
#include <optional>

namespace ddlbench::bench {

// Each rank that a launcher of MPI starts is two processes: a guard, and its child, which computes. Launchers do not
// tell which rank died of what, and by then have killed the others, too; the guard tells before they can know. Where
// the launcher or the supervisor is gone, it ends the rank: a launcher that is stopped cannot.

/// The body of `ddlbench rank`, which the supervisor's mpiexec starts: the guard of `ddlbench worker`. Tells the
/// supervisor (Killed). Returns the worker's exit code, 128 + signal where one killed it, 1 where this is another
/// program than the supervisor's, 2 where no launcher started it.
int guard_rank();

/// Under a person's own launcher: begins this program once more, with what libraries read when they are loaded, and
/// guards that. Tells a killed rank in a line on standard error. Ends one whose launcher stays stopped for some seconds
/// longer than the time-out, and tells that; and one that stays stopped itself before the first case or after the last,
/// where no other rank would notice it. Returns the exit code, as above; nothing where this process is not to be a
/// guard.
std::optional<int> guard_in_ranks(char* arguments[]);

/// Called by a guarded process where a case begins: its time-out. The other ranks watch this one from now on.
void tell_guard_of_case(std::chrono::milliseconds timeout);
/// Called by it after the last case: nobody but the guard watches it any more.
void tell_guard_of_end(std::chrono::milliseconds timeout);
/// Called by it before it ends: a guard that was stopped goes on, and tells the launcher.
void wake_guard();

}  // namespace ddlbench::bench
