#pragma once

#include <optional>
#include <string>

#include "bench/config/devices.h"

namespace ddlbench::bench {

/// What a job asks Slurm for. Of several nodes each has the same.
struct Allocation {
  int nodes = 1;
  int tasks_per_node = 1;  ///< processes; ranks that are threads share one
  int cpus_per_task = 1;
  int gpus_per_node = 0;

  bool operator==(const Allocation&) const = default;
};

/// How ranks are placed on nodes.
struct Placement {
  std::optional<int> ranks_per_node = {};  ///< not set: all on one node
  std::optional<int> cpus_per_rank = {};   ///< not set: devices/threads_per_rank, or one if that is 0
};

/// Returns the allocation in which `ranks` ranks run. They are spread evenly over as few nodes as possible, and a rank
/// on a GPU has one of its own. Throws InputError if ranks are threads of a process and do not fit into a node.
Allocation allocation_for(const Devices& devices, int ranks, const Placement& placement);

/// Returns an allocation on whose nodes cases of both can run.
Allocation enclosing(const Allocation& one, const Allocation& other);

/// "2 nodes, each with 4 tasks of 1 core and 4 GPUs"
std::string describe(const Allocation& allocation);

}  // namespace ddlbench::bench
