#include "runtime/waits.h"

#include <algorithm>

#include "graph/error.h"
#include "runtime/actions.h"

namespace ddlbench::runtime {

using namespace program;

namespace {

bool conflict(const std::vector<Access>& a, const std::vector<Access>& b) {
  for (const Access& x : a) {
    for (const Access& y : b) {
      if (x.view.buffer == none || x.view.buffer != y.view.buffer || x.view.age != y.view.age) continue;
      if (!x.writes && !y.writes) continue;
      if (x.view.offset < y.view.offset + y.view.bytes && y.view.offset < x.view.offset + x.view.bytes) return true;
    }
  }
  return false;
}

}  // namespace

Waits settle(const std::vector<Instruction>& instructions) {
  const auto count = instructions.size();
  Waits waits{std::vector<std::vector<InstructionId>>(count), std::vector<InstructionId>(count, none), {}};
  std::vector<std::vector<Access>> ranges(count);
  std::vector<InstructionId>& in_flight = waits.at_end;
  for (std::size_t i = 0; i < count; ++i) {
    const Instruction& instruction = instructions[i];
    const bool communicates = is_communication(instruction);
    const bool computes = std::holds_alternative<Compute>(instruction.action);
    if (communicates) ranges[i] = accesses(instruction);
    const auto must_wait_for = [&](InstructionId id) {
      const bool after = std::any_of(instruction.after.begin(), instruction.after.end(), [&](const Dependency& d) {
        return d.iterations == 0 && d.instruction == id;
      });
      return after || (communicates && conflict(ranges[i], ranges[static_cast<std::size_t>(id)]));
    };
    for (const InstructionId id : in_flight) {
      if (must_wait_for(id)) waits.communications[i].push_back(id);
    }
    std::erase_if(in_flight, [&](InstructionId id) {
      const auto& done = waits.communications[i];
      return std::find(done.begin(), done.end(), id) != done.end();
    });
    for (const Dependency& dependency : instruction.after) {
      if (dependency.iterations > 0) continue;  // the previous iteration is complete
      require(dependency.instruction >= 0 && static_cast<std::size_t>(dependency.instruction) < i,
              "instruction '" + instruction.name + "' is after one that is not before it");
      const Instruction& earlier = instructions[static_cast<std::size_t>(dependency.instruction)];
      if (computes || !std::holds_alternative<Compute>(earlier.action)) continue;
      waits.compute[i] = std::max(waits.compute[i], dependency.instruction);
    }
    if (communicates) in_flight.push_back(static_cast<InstructionId>(i));
  }
  return waits;
}

}  // namespace ddlbench::runtime
