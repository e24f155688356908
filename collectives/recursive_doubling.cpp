// All-reduce with few messages of whole tensors, for small tensors.

#include "collectives/algorithm.h"
#include "collectives/paired_core.h"

namespace ddlbench::collectives {

namespace {

/// Let n = 2^k + e ranks, 0 ≤ e < 2^k. The first 2e ranks form pairs: each odd rank sends its buffer to the even rank
/// below it. The remaining 2^k ranks (the even ranks of the pairs, then ranks 2e and up) exchange whole buffers k
/// times, with partners at distance 1, 2, 4, … among these ranks. Finally, each even rank of a pair sends the result to
/// its odd neighbour.
/// With S elements, odd r < 2e sends S, even r < 2e sends (k + 1)·S and r ≥ 2e sends k·S: 2^k·k·S + 2e·S over all
/// ranks.
/// All ranks reduce in the same tree, the lower rank's value first. Scratch: up to S elements if n > 1.
void recursive_doubling_all_reduce(const Payload& payload, int rank, const Emit& emit) {
  const int ranks = payload.members();
  const auto whole = [&payload](Memory memory) { return payload.whole(memory); };
  if (ranks == 1) return emit({{}, {}, CopyPart{whole(Memory::input), whole(Memory::output)}});

  const PairedCore core(rank, ranks);
  const int levels = core.levels;
  if (core.is_outside_core()) {
    emit({SendPart{rank - 1, whole(Memory::input)}, {}, {}});
    for (int level = 0; level < levels; ++level) emit({});
    return emit({{}, ReceivePart{rank - 1, whole(Memory::output), {}}, {}});
  }

  // The data that a level sends must not change while the level writes. So the levels write to output and scratch
  // alternately, and the last level writes to the output.
  const auto target = [levels](int level) { return (levels - 1 - level) % 2 == 0 ? Memory::output : Memory::scratch; };
  const Memory before_first = target(0) == Memory::output ? Memory::scratch : Memory::output;
  const bool moves_aside = payload.in_place && target(0) == Memory::output;
  Memory current = Memory::input;
  if (core.paired()) {
    emit({{}, ReceivePart{rank + 1, whole(before_first), whole(Memory::input), false}, {}});
    current = before_first;
  } else if (core.pairs > 0 || moves_aside) {
    Step step;
    if (moves_aside) {
      step.copy = CopyPart{whole(Memory::input), whole(Memory::scratch)};
      current = Memory::scratch;
    }
    emit(step);
  }

  const int position = core.position();
  for (int level = 0; level < levels; ++level) {
    const int partner_position = position ^ (1 << level);
    const int partner = core.rank_at(partner_position);
    const ReceivePart receive{partner, whole(target(level)), whole(current), partner_position < position};
    emit({SendPart{partner, whole(current)}, receive, {}});
    current = target(level);
  }
  if (core.paired()) emit({SendPart{rank + 1, whole(Memory::output)}, {}, {}});
}

}  // namespace

AlgorithmKind recursive_doubling() {
  return {"recursive_doubling",
          "whole tensors, exchanged at doubling distances: each rank sends log2(n) tensors, in log2(n) rounds, if n "
          "is a power of two",
          recursive_doubling_all_reduce};
}

}  // namespace ddlbench::collectives
