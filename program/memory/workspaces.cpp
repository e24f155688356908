#include "program/memory/workspaces.h"

#include <algorithm>

#include "base/error.h"

namespace ddlbench::program {
namespace {

View* workspace_of(Instruction& instruction) {
  if (auto* compute = std::get_if<Compute>(&instruction.action)) return &compute->workspace;
  if (auto* call = std::get_if<CollectiveCall>(&instruction.action)) return &call->workspace;
  return nullptr;
}

const OpCost* cost_of(const Instruction& instruction, const std::vector<Mesh>& meshes, const CostTable& costs) {
  if (const auto* compute = std::get_if<Compute>(&instruction.action)) return costs.find(cost_key(*compute));
  const auto& call = std::get<CollectiveCall>(instruction.action);
  return costs.find(cost_key(call, member_count(call.group, meshes)));
}

void for_each_instruction(Program& program, auto&& visitor) {
  for (auto* section : sections(program))
    for (Instruction& instruction : *section) visitor(instruction);
}

}  // namespace

/// Workspaces are the last buffers, because nothing else adds buffers to a finished program.
void remove_workspaces(Program& program) {
  std::vector<BufferId> removed;
  for_each_instruction(program, [&](Instruction& instruction) {
    View* workspace = workspace_of(instruction);
    if (workspace == nullptr || workspace->buffer == none) return;
    removed.push_back(workspace->buffer);
    *workspace = {};
  });
  if (removed.empty()) return;
  const auto kept = static_cast<std::size_t>(*std::min_element(removed.begin(), removed.end()));
  require(kept + removed.size() == program.buffers.size(), "plan_memory did not add this workspace");
  program.buffers.resize(kept);
}

void add_workspaces(Program& program, const std::vector<Mesh>& meshes, const CostTable& costs) {
  if (costs.all().empty()) return;
  for_each_instruction(program, [&](Instruction& instruction) {
    View* workspace = workspace_of(instruction);
    if (workspace == nullptr) return;
    const OpCost* cost = cost_of(instruction, meshes, costs);
    if (cost == nullptr || cost->workspace_bytes <= 0) return;
    Buffer buffer;
    buffer.name = "workspace " + instruction.name;
    buffer.memory_class =
        std::holds_alternative<Compute>(instruction.action) ? MemoryClass::workspace : MemoryClass::communication;
    buffer.bytes = cost->workspace_bytes;
    *workspace = View{static_cast<BufferId>(program.buffers.size()), 0, buffer.bytes, 0};
    program.buffers.push_back(std::move(buffer));
  });
}

}  // namespace ddlbench::program
