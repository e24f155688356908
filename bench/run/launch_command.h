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

/// The path of this program's file.
std::string own_program();

/// Throws InputError, with the remedy, where there is no mpiexec: before a sweep in which each case would miss it.
void require_mpiexec();

/// `program` with `arguments` as `ranks` processes, by mpiexec. Throws InputError where there is none.
///
/// Processes are not bound: each binds its own threads (bench/case/bound_cores.h), and the one-rank reference
/// wants all cores.
LaunchCommand through_mpiexec(int ranks, int threads_per_rank, const std::string& program,
                              const std::vector<std::string>& arguments);

/// The environment of a process that begins a job of its own, as "NAME=VALUE": this one's with `changes`, but
/// without what tells a process that an MPI launcher started it: a second start inside of a rank dies.
std::vector<std::string> environment_of(const std::map<std::string, std::string>& changes);

}  // namespace ddlbench::bench
