#include "program/stream_waits.h"

#include <algorithm>
#include <array>

#include "base/error.h"
#include "program/actions.h"

namespace ddlbench::program {

namespace {

constexpr auto compute_stream = static_cast<std::size_t>(graph::Stream::compute);

/// For each stream, the last instruction that is known to be complete: a vector clock.
using VectorClock = std::array<InstructionId, graph::recorded_streams>;

void merge(VectorClock& followed, const VectorClock& more) {
  for (std::size_t s = 0; s < followed.size(); ++s) followed[s] = std::max(followed[s], more[s]);
}

}  // namespace

std::optional<graph::Stream> stream_of(const Instruction& instruction, Route communications) {
  if (std::holds_alternative<Copy>(instruction.action)) return graph::Stream::copy;
  if (!is_communication(instruction)) return graph::Stream::compute;
  if (communications == Route::host) return std::nullopt;
  return communications == Route::staged ? graph::Stream::copy : graph::Stream::communication;
}

StreamWaits plan_stream_waits(const std::vector<Instruction>& instructions, Route communications) {
  const bool completed_on_stream = communications == Route::stream;
  VectorClock nothing;
  nothing.fill(none);
  std::array<VectorClock, graph::recorded_streams> ends;  // clock at the current end of each stream
  ends.fill(nothing);
  std::vector<VectorClock> at(instructions.size(), nothing);  // clock after each instruction, itself included
  VectorClock last = nothing;  // last instruction of each stream that completes on that stream
  StreamWaits stream_waits{std::vector<std::vector<InstructionId>>(instructions.size()), {}};
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    const auto stream = stream_of(instructions[i], communications);
    if (!stream) continue;
    const auto own = static_cast<std::size_t>(*stream);
    std::vector<InstructionId>& before = stream_waits.before[i];
    const VectorClock known = ends[own];
    for (const Dependency& dependency : instructions[i].after) {
      if (dependency.iterations > 0) continue;  // the previous iteration is complete
      const InstructionId id = dependency.instruction;
      require(id >= 0 && static_cast<std::size_t>(id) < i,
              "instruction '" + instructions[i].name + "' depends on an instruction that is not before it");
      const Instruction& earlier = instructions[static_cast<std::size_t>(id)];
      if (is_communication(earlier) && !completed_on_stream) continue;
      const auto other = static_cast<std::size_t>(stream_of(earlier, communications).value());
      if (other == own || id <= known[other]) continue;
      before.push_back(id);
      merge(ends[own], at[static_cast<std::size_t>(id)]);
    }
    std::sort(before.begin(), before.end());
    ends[own][own] = static_cast<InstructionId>(i);
    at[i] = ends[own];
    if (!is_communication(instructions[i]) || completed_on_stream) last[own] = static_cast<InstructionId>(i);
  }
  for (std::size_t s = 0; s < last.size(); ++s) {
    if (s != compute_stream && last[s] > ends[compute_stream][s]) stream_waits.at_end.push_back(last[s]);
  }
  return stream_waits;
}

}  // namespace ddlbench::program
