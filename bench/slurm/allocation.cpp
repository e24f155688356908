#include "bench/slurm/allocation.h"

#include <fmt/core.h>
#include <algorithm>

#include "base/counted.h"
#include "base/error.h"

namespace ddlbench::bench {

Allocation allocation_for(const Devices& devices, int ranks, const Placement& placement) {
  const int most = placement.ranks_per_node.value_or(ranks);
  const int cpus = placement.cpus_per_rank.value_or(std::max(1, devices.threads_per_rank));
  Allocation allocation;
  allocation.nodes = (ranks + most - 1) / most;
  const int per_node = (ranks + allocation.nodes - 1) / allocation.nodes;
  if (devices.derived.is_accelerator) allocation.gpus_per_node = per_node;
  if (devices.needs_launcher()) {
    allocation.tasks_per_node = per_node;
    allocation.cpus_per_task = cpus;
    return allocation;
  }
  if (allocation.nodes > 1) {
    throw InputError(
        fmt::format("/devices/transport {}: all ranks are on one machine, and {} ranks do not fit into a node with "
                    "--ranks-per-node {}; use --set /devices/transport=mpi, or fewer ranks",
                    devices.transport, ranks, most));
  }
  allocation.cpus_per_task = ranks * cpus;
  return allocation;
}

Allocation enclosing(const Allocation& one, const Allocation& other) {
  Allocation both;
  both.nodes = std::max(one.nodes, other.nodes);
  both.tasks_per_node = std::max(one.tasks_per_node, other.tasks_per_node);
  const int cpus_per_node =
      std::max(one.tasks_per_node * one.cpus_per_task, other.tasks_per_node * other.cpus_per_task);
  both.cpus_per_task = (cpus_per_node + both.tasks_per_node - 1) / both.tasks_per_node;
  both.gpus_per_node = std::max(one.gpus_per_node, other.gpus_per_node);
  return both;
}

std::string describe(const Allocation& a) {
  return fmt::format("{}{} {} of {}{}", counted(a.nodes, "node"), a.nodes == 1 ? " with" : ", each with",
                     counted(a.tasks_per_node, "task"), counted(a.cpus_per_task, "core"),
                     a.gpus_per_node > 0 ? " and " + counted(a.gpus_per_node, "GPU") : "");
}

}  // namespace ddlbench::bench
