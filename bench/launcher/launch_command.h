#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bench/launcher/host_choice.h"

namespace ddlbench::bench {

/// A program to start, the changes to its environment, and its limits.
struct LaunchCommand {
  std::string program;                             ///< a path
  std::vector<std::string> arguments;              ///< without the program's own name
  std::map<std::string, std::string> environment;  ///< variables that are set, replacing existing ones
  std::string control_group_file = {};             ///< of a group that it joins (cgroup.procs); empty: none
  std::optional<std::int64_t> data_bytes = {};     ///< of each of its processes (RLIMIT_DATA)
};

/// Returns a path by which processes started on this machine find the running program: its file's path, while that
/// still is this file, else a path under /proc that exists as long as this process. On another machine, a launcher
/// cannot use the latter.
std::string own_program();

/// Environment variables that a job's processes read.
inline constexpr const char* supervisor_variable =
    "DDLBENCH_SUPERVISOR";  ///< platform::ProcessIdentity of the process that started the job
inline constexpr const char* program_variable = "DDLBENCH_PROGRAM";  ///< program_id() of that process

/// Throws InputError, with the remedy, if there is no mpiexec. Checked before a sweep in which every case would need
/// it.
void require_mpiexec();

/// Returns the command that starts `program` with `arguments` as `ranks` processes by mpiexec. The environment names
/// the process and the program that they work for. Throws InputError if there is no mpiexec.
///
/// `hosts`: the machines to use; empty: those that mpiexec chooses, such as all of a Slurm job.
///
/// Processes are not bound by mpiexec: each binds its own threads (platform/bound_cores.h), and the one-rank reference
/// uses all cores.
LaunchCommand through_mpiexec(int ranks, int threads_per_rank, const std::string& program,
                              const std::vector<std::string>& arguments, const std::vector<LaunchHost>& hosts = {});

/// Returns the environment of a process that starts a job of its own, as "NAME=VALUE": this process's environment with
/// `changes`, but without the variables by which an MPI launcher identifies its processes: starting MPI inside a rank
/// would fail.
std::vector<std::string> environment_of(const std::map<std::string, std::string>& changes);

}  // namespace ddlbench::bench
