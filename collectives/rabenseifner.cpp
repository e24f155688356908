// All-reduce that sends little data in few steps, for large tensors: a reduce-scatter by recursive halving, followed by
// an all-gather by recursive doubling (Rabenseifner's algorithm, in Thakur, Rabenseifner & Gropp 2005, "Optimization of
// Collective Communication Operations in MPICH").

#include <utility>
#include <vector>

#include "collectives/algorithm.h"
#include "collectives/paired_core.h"

namespace ddlbench::collectives {

namespace {

/// Returns the two halves of a range. The first one is longer by one if the count is odd.
std::pair<Range, Range> halves_of(const Range& range) {
  const std::int64_t first = (range.count + 1) / 2;
  return {{range.memory, range.offset, first}, {range.memory, range.offset + first, range.count - first}};
}

Range in_memory(Memory memory, Range range) {
  range.memory = memory;
  return range;
}

/// Let n = 2^k + e ranks, 0 ≤ e < 2^k. The first 2e ranks form pairs: the even rank reduces the first half of both
/// buffers, the odd rank reduces the second half and sends it to the even rank. The remaining 2^k ranks (the even ranks
/// of the pairs, then ranks 2e and up) halve k times: partners at distance 2^(k − 1), …, 2, 1 among these ranks
/// exchange halves of their current range, and the lower partner keeps the first half. The same partners then gather in
/// reverse order. Finally, each even rank sends the result to its odd neighbour.
/// With S elements, a rank r ≥ 2e sends C = 2·(2^k − 1)/2^k·S, up to rounding; in a pair, the even rank sends C + 3/2·S
/// and the odd rank S. Each element is fully reduced on one rank only, which distributes its bits. The order of
/// summation is the pairs first, then the partners, the lower rank's value first. Works within the output, without
/// scratch.
void rabenseifner_all_reduce(const Payload& payload, int rank, const Emit& emit) {
  const int ranks = payload.members();
  const Range whole = payload.whole(Memory::output);
  if (ranks == 1) return emit({{}, {}, CopyPart{payload.whole(Memory::input), whole}});

  const PairedCore core(rank, ranks);
  Memory current = Memory::input;
  /// Sends `given` to the partner and reduces `kept`.
  const auto reduce = [&](int partner, const Range& given, const Range& kept) {
    const ReceivePart receive{partner, kept, in_memory(current, kept), partner < rank};
    emit({SendPart{partner, in_memory(current, given)}, receive, {}});
  };

  if (core.paired()) {
    const auto [first, second] = halves_of(whole);
    if (core.is_outside_core()) {
      reduce(rank - 1, first, second);
      emit({SendPart{rank - 1, second}, {}, {}});
      for (int level = 0; level < 2 * core.levels; ++level) emit({});
      return emit({{}, ReceivePart{rank - 1, whole, {}}, {}});
    }
    reduce(rank + 1, second, first);
    emit({{}, ReceivePart{rank + 1, second, {}}, {}});
    current = Memory::output;
  } else if (core.pairs > 0) {
    for (int round = 0; round < 2; ++round) emit({});
  }

  const int position = core.position();
  const auto partner_at = [&](int distance) { return core.rank_at(position ^ distance); };
  Range own = whole;
  std::vector<std::pair<Range, Range>> halvings;  ///< the half kept and the half given away at each level
  for (int distance = core.size / 2; distance > 0; distance /= 2) {
    auto [kept, given] = halves_of(own);
    if ((position & distance) != 0) std::swap(kept, given);
    reduce(partner_at(distance), given, kept);
    halvings.emplace_back(kept, given);
    own = kept;
    current = Memory::output;
  }
  for (int distance = 1; distance < core.size; distance *= 2) {
    const auto [kept, given] = halvings.back();
    halvings.pop_back();
    emit({SendPart{partner_at(distance), kept}, ReceivePart{partner_at(distance), given, {}}, {}});
  }
  if (core.paired()) emit({SendPart{rank + 1, whole}, {}, {}});
}

}  // namespace

AlgorithmKind rabenseifner() {
  return {"rabenseifner",
          "recursive halving, then recursive doubling: each rank sends 2(n-1)/n of the tensor, in 2 log2(n) rounds, "
          "if n is a power of two",
          rabenseifner_all_reduce};
}

}  // namespace ddlbench::collectives
