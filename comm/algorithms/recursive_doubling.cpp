#include "comm/algorithms/recursive_doubling.h"

#include <bit>

namespace ddlbench::comm {

StepList recursive_doubling_all_reduce(int rank, int ranks, std::int64_t count, bool in_place) {
  const auto whole = [count](Memory memory) { return Range{memory, 0, count}; };
  StepList list;
  if (ranks == 1) {
    list.steps.push_back({{}, {}, CopyPart{whole(Memory::input), whole(Memory::output)}});
    return list;
  }
  list.scratch = count;

  const auto core = static_cast<int>(std::bit_floor(static_cast<unsigned>(ranks)));
  const int levels = std::countr_zero(static_cast<unsigned>(core));
  const int pairs = ranks - core;
  const bool paired = rank < 2 * pairs;
  if (paired && rank % 2 == 1) {
    list.steps.push_back({SendPart{rank - 1, whole(Memory::input)}, {}, {}});
    list.steps.push_back({{}, ReceivePart{rank - 1, whole(Memory::output), {}}, {}});
    return list;
  }

  // What a level sends must stay as it is while the level writes: output and scratch take turns, so that
  // the last level writes the output.
  const auto target = [levels](int level) { return (levels - 1 - level) % 2 == 0 ? Memory::output : Memory::scratch; };
  const Memory before_first = target(0) == Memory::output ? Memory::scratch : Memory::output;
  Memory current = Memory::input;
  if (paired) {
    list.steps.push_back({{}, ReceivePart{rank + 1, whole(before_first), whole(Memory::input), false}, {}});
    current = before_first;
  } else if (in_place && target(0) == Memory::output) {
    list.steps.push_back({{}, {}, CopyPart{whole(Memory::input), whole(Memory::scratch)}});
    current = Memory::scratch;
  }

  const int position = paired ? rank / 2 : rank - pairs;
  for (int level = 0; level < levels; ++level) {
    const int partner_position = position ^ (1 << level);
    const int partner = partner_position < pairs ? 2 * partner_position : partner_position + pairs;
    const ReceivePart receive{partner, whole(target(level)), whole(current), partner_position < position};
    list.steps.push_back({SendPart{partner, whole(current)}, receive, {}});
    current = target(level);
  }
  if (paired) list.steps.push_back({SendPart{rank + 1, whole(Memory::output)}, {}, {}});
  return list;
}

}  // namespace ddlbench::comm
