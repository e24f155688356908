#include "program/memory/lifetimes.h"

#include <algorithm>

namespace ddlbench::program {
namespace {

void note(Lifetime& life, InstructionId id, const HappensBefore& order) {
  life.first = std::min(life.first, id);
  life.last = std::max(life.last, id);
  if (order.on_compute(id)) {
    life.first_compute = std::min(life.first_compute, order.position(id));
    life.last_compute = std::max(life.last_compute, order.position(id));
    life.settled = std::max(life.settled, order.position(id));
  } else if (life.others.empty() || life.others.back() != id) {
    life.others.push_back(id);
    life.settled = std::max(life.settled, order.joined(id));
  }
}

}  // namespace

std::vector<Lifetime> lifetimes(const Program& program, int index, const HappensBefore& order) {
  const Instructions& instructions = section(program, index);
  std::vector<Lifetime> by_buffer(program.buffers.size());
  const auto lifetime_of = [&](const View& view) { return &by_buffer[static_cast<std::size_t>(view.buffer)]; };
  for (std::size_t i = 0; i < instructions.size(); ++i)
    for (const Access& access : accesses(program, instructions[i]))
      note(*lifetime_of(access.view), static_cast<InstructionId>(i), order);
  if (is_body(program, index)) {
    for (const InputSlot& slot : program.inputs)
      if (slot.operand.view.buffer != none) lifetime_of(slot.operand.view)->first = -1;
    for (const MetricSlot& slot : program.metrics) {
      if (slot.view.buffer == none) continue;
      lifetime_of(slot.view)->last = HappensBefore::never;
      lifetime_of(slot.view)->settled = HappensBefore::never;
    }
  }
  std::vector<Lifetime> used;
  for (std::size_t b = 0; b < by_buffer.size(); ++b) {
    by_buffer[b].buffer = static_cast<BufferId>(b);
    if (!program.buffers[b].persistent && by_buffer[b].first != HappensBefore::never)
      used.push_back(std::move(by_buffer[b]));
  }
  std::stable_sort(used.begin(), used.end(), [](const Lifetime& a, const Lifetime& b) { return a.first < b.first; });
  return used;
}

}  // namespace ddlbench::program
