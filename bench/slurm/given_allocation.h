#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/config/experiment.h"

namespace ddlbench::bench {

/// What the Slurm job in which this process runs has, from the variables SLURM_*.
struct GivenAllocation {
  std::string job_id;
  std::vector<int> cpus_of_nodes;    ///< cores of the job, or hardware threads, as the site counts them
  std::vector<int> tasks_of_nodes;   ///< processes that mpiexec starts on each node; empty if Slurm does not say
  std::optional<int> gpus_per_node;  ///< of the node on which this process runs

  int nodes() const { return static_cast<int>(cpus_of_nodes.size()); }
  int cpus() const;
  int tasks() const;
};

/// Returns the value of an environment variable; nothing if it is not set.
using Environment = std::function<std::optional<std::string>(const std::string&)>;
std::optional<std::string> environment_variable(const std::string& name);

/// Returns the names of the job's nodes, in the order of the lists above; nothing if scontrol does not tell them.
std::vector<std::string> node_names(const GivenAllocation& given);

/// Returns nothing outside of a job.
std::optional<GivenAllocation> given_allocation(const Environment& environment = environment_variable);

/// Parses a list of numbers by node: "2(x3),1" is 2, 2, 2, 1. Returns nothing for another text.
std::optional<std::vector<int>> parse_counts(const std::string& text);

/// What an experiment asks for beyond what its job has. `error` is empty unless cases cannot run: ranks on GPUs that
/// the job does not have. The warnings are about cases that run, but share cores.
struct AllocationCheck {
  std::string error;
  std::vector<std::string> warnings;
};
AllocationCheck check_allocation(const GivenAllocation& given, const Experiment& experiment,
                                 const std::vector<Case>& cases);

/// The cores of a job.
struct UsableCores {
  int own = 0;     ///< of this machine
  int others = 0;  ///< of other nodes, for ranks that are processes
};

/// Returns the cores of a job, of whose first node this process may use `own_cores`.
UsableCores usable_cores(const GivenAllocation& given, int own_cores);

}  // namespace ddlbench::bench
