#include "program/holds.h"

#include <algorithm>
#include <array>

#include "base/error.h"
#include "program/actions.h"

namespace ddlbench::program {

namespace {

constexpr std::size_t streams = 3;
constexpr auto compute_stream = static_cast<std::size_t>(Stream::compute);

/// By stream: up to which instruction of it is followed.
using Followed = std::array<InstructionId, streams>;

/// Where an instruction is put; `streams` where the host begins it by itself.
std::size_t stream_of(const Instruction& instruction, CommunicationStream communications) {
  if (std::holds_alternative<Copy>(instruction.action)) return static_cast<std::size_t>(Stream::copy);
  if (!is_communication(instruction)) return compute_stream;
  if (communications == CommunicationStream::copy) return static_cast<std::size_t>(Stream::copy);
  return communications == CommunicationStream::communication ? static_cast<std::size_t>(Stream::communication)
                                                              : streams;
}

void follow(Followed& followed, const Followed& more) {
  for (std::size_t s = 0; s < streams; ++s) followed[s] = std::max(followed[s], more[s]);
}

}  // namespace

Holds hold_streams(const std::vector<Instruction>& instructions, CommunicationStream communications) {
  const bool completed_on_stream = communications == CommunicationStream::communication;
  Followed nothing;
  nothing.fill(none);
  std::array<Followed, streams> ends;  // what the present end of each stream follows
  ends.fill(nothing);
  std::vector<Followed> at(instructions.size(), nothing);  // the same of each instruction, itself included
  Followed last = nothing;                                 // of each stream, completed there
  Holds holds{std::vector<std::vector<InstructionId>>(instructions.size()), {}};
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    const auto own = stream_of(instructions[i], communications);
    if (own == streams) continue;
    std::vector<InstructionId>& before = holds.before[i];
    const Followed known = ends[own];
    for (const Dependency& dependency : instructions[i].after) {
      if (dependency.iterations > 0) continue;  // the previous iteration is complete
      const InstructionId id = dependency.instruction;
      require(id >= 0 && static_cast<std::size_t>(id) < i,
              "instruction '" + instructions[i].name + "' is after one that is not before it");
      const Instruction& earlier = instructions[static_cast<std::size_t>(id)];
      if (is_communication(earlier) && !completed_on_stream) continue;
      const auto other = stream_of(earlier, communications);
      if (other == own || id <= known[other]) continue;
      before.push_back(id);
      follow(ends[own], at[static_cast<std::size_t>(id)]);
    }
    std::sort(before.begin(), before.end());
    ends[own][own] = static_cast<InstructionId>(i);
    at[i] = ends[own];
    if (!is_communication(instructions[i]) || completed_on_stream) last[own] = static_cast<InstructionId>(i);
  }
  for (std::size_t s = 0; s < streams; ++s) {
    if (s != compute_stream && last[s] > ends[compute_stream][s]) holds.at_end.push_back(last[s]);
  }
  return holds;
}

}  // namespace ddlbench::program
