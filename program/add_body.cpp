#include <algorithm>
#include <iterator>

#include "base/error.h"
#include "program/actions.h"
#include "program/passes.h"

namespace ddlbench::program {
namespace {

bool equal(const Buffer& a, const Buffer& b) {
  return a.name == b.name && a.memory_class == b.memory_class && a.bytes == b.bytes && a.versions == b.versions;
}

std::size_t persistent_count(const Program& program) {
  return static_cast<std::size_t>(std::count_if(program.buffers.begin(), program.buffers.end(),
                                                [](const Buffer& buffer) { return buffer.persistent; }));
}

}  // namespace

void add_body(Program& to, Program from) {
  const std::size_t persistent = persistent_count(to);
  require(persistent_count(from) == persistent &&
              std::equal(to.buffers.begin(), to.buffers.begin() + static_cast<std::ptrdiff_t>(persistent),
                         from.buffers.begin(), equal),
          "the bodies of a program need equal persistent buffers");
  require(from.bodies.size() == 1 && from.prologue.empty() && from.epilogue.empty() &&
              from.inputs.size() == to.inputs.size() && from.metrics.size() == to.metrics.size(),
          "only a body of the same inputs and metrics can be added to a program");
  const auto shift = static_cast<BufferId>(to.buffers.size() - persistent);
  for (Instruction& instruction : from.bodies.front())
    for (View* view : views(instruction.action))
      if (view->buffer >= static_cast<BufferId>(persistent)) view->buffer += shift;
  std::move(from.buffers.begin() + static_cast<std::ptrdiff_t>(persistent), from.buffers.end(),
            std::back_inserter(to.buffers));
  to.bodies.push_back(std::move(from.bodies.front()));
}

}  // namespace ddlbench::program
