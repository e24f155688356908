// All-reduce along a tree. It needs few messages over all ranks: suitable for small tensors and for shared links.

#include "collectives/algorithm.h"
#include "collectives/tree.h"

namespace ddlbench::collectives {

namespace {

/// Reduces along a binomial tree rooted at rank 0. In round j of ceil(log2 n), every rank r that is an odd multiple of
/// 2^j sends its current value to r − 2^j, which reduces it, the lower rank's value first. Rank 0 then holds the result
/// and broadcasts its bits (binomial_broadcast). Every rank but rank 0 sends one whole tensor up, and every rank sends
/// one to each of its children: 2(n − 1) tensors over all ranks. Works within the output, without scratch.
void binomial_tree_all_reduce(const Payload& payload, int rank, const Emit& emit) {
  const int ranks = payload.members();
  const Range whole = payload.whole(Memory::output);
  if (ranks == 1) return emit({{}, {}, CopyPart{payload.whole(Memory::input), whole}});
  Range current = payload.whole(Memory::input);
  for (int distance = 1; distance < ranks; distance *= 2) {
    Step step;
    if (rank % (2 * distance) == distance) step.send = SendPart{rank - distance, current};
    if (rank % (2 * distance) == 0 && rank + distance < ranks) {
      step.receive = ReceivePart{rank + distance, whole, current, false};
      current = whole;
    }
    emit(step);
  }
  binomial_broadcast(rank, ranks, payload.count(), 0, emit);
}

}  // namespace

AlgorithmKind binomial_tree() {
  return {"binomial_tree",
          "whole tensors, up a tree to one rank and down again: all ranks together send 2(n-1) tensors, in 2 log2(n) "
          "rounds",
          binomial_tree_all_reduce};
}

}  // namespace ddlbench::collectives
