#include <algorithm>
#include <map>

#include "base/error.h"
#include "program/actions.h"
#include "runtime/engine.h"
#include "runtime/groups.h"
#include "runtime/kernel_cache.h"
#include "runtime/operations.h"
#include "runtime/tally.h"

namespace ddlbench::runtime {

using namespace program;

namespace {

using Bytes = std::map<std::string, std::int64_t>;  ///< by cost key

void for_each_instruction(const Role& role, const auto& visit) {
  for (const Program* program : {&role.train, &role.evaluate}) {
    for (const auto* part : sections(*program)) {
      for (const Instruction& instruction : *part) visit(instruction);
    }
  }
}

/// Returns the keys of all work of the plan, with 0 bytes; the same on all ranks.
Bytes all_work(const Plan& plan) {
  Bytes bytes;
  for (int rank = 0; rank < plan.ranks(); ++rank) {
    for_each_instruction(plan.role(rank), [&](const Instruction& instruction) {
      if (const auto* compute = std::get_if<Compute>(&instruction.action)) bytes[cost_key(*compute)] = 0;
      if (const CollectiveCall* call = collective(instruction.action)) {
        bytes[cost_key(*call, static_cast<int>(members(call->group, plan.meshes, rank).size()))] = 0;
      }
    });
  }
  return bytes;
}

/// Enters the workspace sizes of this rank's own instructions.
void fill_own(Bytes& bytes, const Plan& plan, kernels::Device& device, comm::Communicator& world) {
  const Communicators communicators(plan, world);
  KernelCache kernels(device);
  for_each_instruction(plan.role(world.rank()), [&](const Instruction& instruction) {
    if (const auto* compute = std::get_if<Compute>(&instruction.action)) {
      std::int64_t& most = bytes.at(cost_key(*compute));  // for operands at any alignment
      most = std::max(most, static_cast<std::int64_t>(kernels.of(*compute).workspace_bytes()));
    }
    if (const CollectiveCall* call = collective(instruction.action)) {
      const Members group = members(call->group, plan.meshes, world.rank());
      std::int64_t& most = bytes.at(cost_key(*call, static_cast<int>(group.size())));
      most = std::max(most, workspace_bytes(*call, communicators.of(group)));
    }
  });
}

}  // namespace

CostTable workspace_costs(const Plan& plan, kernels::Device& device, const Channels& channels) {
  require(plan.ranks() == channels.host.size(),
          "workspaces are queried on a different number of ranks than the plan's");
  Bytes bytes = all_work(plan);
  fill_own(bytes, plan, device, channels.device);

  std::vector<std::int64_t> shared;
  for (const auto& [key, wanted] : bytes) shared.push_back(wanted);
  all_reduce(shared, channels.host, graph::Reduction::max, "agree on workspaces");

  CostTable table;
  std::size_t i = 0;
  for (const auto& [key, own] : bytes) table.insert(key, {std::nullopt, shared[i++]});
  return table;
}

}  // namespace ddlbench::runtime
