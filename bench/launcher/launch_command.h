#pragma once

#include <map>
#include <string>
#include <vector>

namespace ddlbench::bench {

/// A program to start, and what its environment has beside that of this process.
struct LaunchCommand {
  std::string program;                             ///< a path
  std::vector<std::string> arguments;              ///< its own name aside
  std::map<std::string, std::string> environment;  ///< set, in place of what is there
};

/// A path under which processes that start on this machine find the very program that runs here: that of its file, as
/// long as this is the file, else one that the system keeps for as long as this process lives. A launcher finds nothing
/// at the latter on another machine.
std::string own_program();

/// Environment variables that a job's processes find.
inline constexpr const char* supervisor_variable =
    "DDLBENCH_SUPERVISOR";  ///< platform::ProcessIdentity of who started the job
inline constexpr const char* program_variable = "DDLBENCH_PROGRAM";  ///< its program_id

/// Throws InputError, with the remedy, where there is no mpiexec: before a sweep in which each case would miss it.
void require_mpiexec();

/// `program` with `arguments` as `ranks` processes, by mpiexec. Throws InputError where there is none. The environment
/// tells them which process and program they serve.
///
/// Processes are not bound: each binds its own threads (platform/bound_cores.h), and the one-rank reference
/// wants all cores.
LaunchCommand through_mpiexec(int ranks, int threads_per_rank, const std::string& program,
                              const std::vector<std::string>& arguments);

/// The environment of a process that begins a job of its own, as "NAME=VALUE": this one's with `changes`, but
/// without what tells a process that an MPI launcher started it: a second start inside of a rank dies.
std::vector<std::string> environment_of(const std::map<std::string, std::string>& changes);

}  // namespace ddlbench::bench
