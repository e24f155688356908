#include <algorithm>

#include "runtime/actions.h"
#include "runtime/engine.h"
#include "runtime/groups.h"
#include "runtime/kernel_cache.h"
#include "runtime/operations.h"

namespace ddlbench::runtime {

using namespace program;

namespace {

void add(CostTable& table, std::string key, std::int64_t workspace_bytes) {
  OpCost cost;
  if (const OpCost* known = table.find(key)) cost = *known;
  cost.workspace_bytes = std::max(cost.workspace_bytes, workspace_bytes);
  table.insert(std::move(key), cost);
}

}  // namespace

CostTable workspace_costs(const Plan& plan, kernels::Device& device, const comm::Communicator& communicator) {
  CostTable table;
  for (int rank = 0; rank < plan.ranks(); ++rank) {
    const Role& role = plan.role(rank);
    for (const Program* program : {&role.train, &role.evaluate}) {
      for (const auto* part : {&program->prologue, &program->body, &program->epilogue}) {
        for (const Instruction& instruction : *part) {
          if (const auto* compute = std::get_if<Compute>(&instruction.action)) {
            std::string key = cost_key(*compute);
            if (table.find(key) != nullptr) continue;
            add(table, std::move(key), static_cast<std::int64_t>(device.bind(binding_of(*compute))->workspace_bytes()));
          } else if (const CollectiveCall* call = collective(instruction.action)) {
            const auto size = static_cast<int>(members(call->group, plan.meshes, rank).size());
            add(table, cost_key(*call, size),
                communicator.workspace_bytes(call->kind, call->algorithm, whole_elements(*call),
                                             call->input.type.dtype));
          }
        }
      }
    }
  }
  return table;
}

}  // namespace ddlbench::runtime
