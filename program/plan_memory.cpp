#include <fmt/core.h>
#include <algorithm>

#include "base/error.h"
#include "program/memory/arena.h"
#include "program/memory/workspaces.h"
#include "program/passes.h"

namespace ddlbench::program {
namespace {

/// All sections share one arena, because everything is complete at the end of a section.
void require_one_section_each(const Program& program) {
  std::vector<int> section_of(program.buffers.size(), none);
  int index = 0;
  for (const auto* section : sections(program)) {
    for (const Instruction& instruction : *section)
      for (const Access& access : accesses(program, instruction)) {
        const auto b = static_cast<std::size_t>(access.view.buffer);
        if (program.buffers[b].persistent) continue;
        if (section_of[b] != none && section_of[b] != index)
          throw ContractError(
              fmt::format("transient buffer '{}' is used by '{}' in a second section: make it persistent",
                          program.buffers[b].name, instruction.name));
        section_of[b] = index;
      }
    ++index;
  }
}

std::int64_t place_apart(Program& program) {
  std::int64_t end = 0;
  for (Buffer& buffer : program.buffers) {
    if (buffer.persistent) continue;
    buffer.offset = end;
    end += aligned(buffer.bytes);
  }
  return end;
}

std::int64_t place_together(Program& program) {
  std::int64_t end = 0;
  for (Buffer& buffer : program.buffers) {
    if (buffer.persistent) continue;
    buffer.offset = 0;  // for buffers that nothing uses
    end = std::max(end, aligned(buffer.bytes));
  }
  for (int s = 0; s <= epilogue_section(program); ++s) end = std::max(end, Arena(program, s).place_all());
  return end;
}

}  // namespace

void plan_memory(Program& program, const std::vector<Mesh>& meshes, const CostTable& costs, Placing placing) {
  remove_workspaces(program);
  add_workspaces(program, meshes, costs);
  require_one_section_each(program);
  for (const Buffer& buffer : program.buffers)
    if (!buffer.persistent && buffer.versions != 1)
      throw ContractError(fmt::format("transient buffer '{}' has {} versions: a ring must be persistent", buffer.name,
                                      buffer.versions));
  program.arena_bytes = placing == Placing::unique ? place_apart(program) : place_together(program);
}

void complete(Plan& plan, const CostTable& costs, Placing placing) {
  for (Role& role : plan.roles)
    for (Program* program : {&role.train, &role.evaluate}) {
      order(*program);
      plan_memory(*program, plan.meshes, costs, placing);
    }
}

}  // namespace ddlbench::program
