#pragma once

#include <string>

#include "bench/launcher/launch_command.h"

namespace ddlbench::bench {

/// Returns the command that starts `ranks` workers on this machine by `program`, with start_ranks() instead of an MPI
/// launcher. Processes are not bound, as with mpiexec. Throws InputError if this build has no transport for them.
LaunchCommand through_rank_starter(int ranks, int threads_per_rank, const std::string& program);

/// The body of `ddlbench start-ranks RANKS`: starts `ddlbench worker` once for each rank, with the environment by which
/// the processes know their rank (comm/process_place.h) and find each other. Rank 0 gets this process's standard input;
/// all share its standard output and error. Returns when all have ended, with the exit code of the first rank that
/// failed. Reports a rank that was killed by a signal, as a rank's guard does, and ends the others; also a rank that
/// failed otherwise, if others still run a few seconds later.
int start_ranks(int ranks);

}  // namespace ddlbench::bench
