#include "program/host_waits.h"

#include <algorithm>

#include "base/error.h"
#include "program/actions.h"

namespace ddlbench::program {

HostWaits plan_host_waits(const std::vector<Instruction>& instructions) {
  const auto count = instructions.size();
  HostWaits waits{std::vector<std::vector<InstructionId>>(count), std::vector<InstructionId>(count, none), {}};
  std::vector<InstructionId>& in_flight = waits.at_end;
  for (std::size_t i = 0; i < count; ++i) {
    const Instruction& instruction = instructions[i];
    const bool computes = std::holds_alternative<Compute>(instruction.action);
    for (const Dependency& dependency : instruction.after) {
      if (dependency.iterations > 0) continue;  // the previous iteration is complete
      const InstructionId id = dependency.instruction;
      require(id >= 0 && static_cast<std::size_t>(id) < i,
              "instruction '" + instruction.name + "' depends on an instruction that is not before it");
      if (std::find(in_flight.begin(), in_flight.end(), id) != in_flight.end()) {
        waits.communications[i].push_back(id);
        std::erase(in_flight, id);
      }
      const Instruction& earlier = instructions[static_cast<std::size_t>(id)];
      if (!computes && std::holds_alternative<Compute>(earlier.action)) {
        waits.compute[i] = std::max(waits.compute[i], id);
      }
    }
    if (is_communication(instruction)) in_flight.push_back(static_cast<InstructionId>(i));
  }
  return waits;
}

}  // namespace ddlbench::program
