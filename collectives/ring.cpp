// The bandwidth-optimal ring of n ranks: each rank sends to its successor r + 1 and receives from its predecessor
// r − 1, all modulo n. The whole is the payload's parts. Element by element the order of summation is that of the ring:
// part p begins at rank p + 1 and ends at rank p, which alone holds the sum and passes its bits on.

#include <algorithm>

#include "collectives/algorithm.h"
#include "graph/tensor.h"

namespace ddlbench::collectives {

namespace {

/// One rank's place on the ring.
struct Ring {
  Ring(const Payload& whole, int own_rank) : payload(whole), rank(own_rank), ranks(whole.members()) {}

  /// Of an index in [−n, 2n).
  int wrap(int index) const { return index < 0 ? index + ranks : index >= ranks ? index - ranks : index; }
  Range part(Memory memory, int index) const { return payload.part(memory, wrap(index)); }

  /// A message to the next rank and one from the previous, of ranges to be filled in from step to step: what comes in
  /// one goes out in the next.
  Step step() const { return {SendPart{wrap(rank + 1), {}}, ReceivePart{wrap(rank - 1), {}, {}}, {}}; }

  const Payload& payload;
  int rank;
  int ranks;
};

/// The `turn`-th segment of a part, possibly empty.
Range segment_of(Range part, std::int64_t segment, std::int64_t turn) {
  const std::int64_t begin = std::min(part.count, turn * segment);
  const std::int64_t end = std::min(part.count, begin + segment);
  return {part.memory, part.offset + begin, end - begin};
}

Range relative(Memory memory, const Range& part, std::int64_t offset) {
  return {memory, offset, part.count};
}

/// Step s of n − 1: sends part r − s − 1, receives part r − s − 2 and reduces it; rank r ends with part r in the
/// output. So rank r sends every part but its own, r. The input stays as it is, but for the own part when that is the
/// output. Partial sums on their way need scratch: two segments of the largest part that an even split would have (none
/// of 1 or 2 ranks, one of 3), whatever the counts. Parts larger than a segment go round in several turns of n − 1
/// steps; what an uneven part sends is the same.
void reduce_scatter(const Payload& payload, int rank, const Emit& emit) {
  const Ring ring(payload, rank);
  const Range own = payload.part(Memory::input, rank);
  if (ring.ranks == 1) return emit({{}, {}, CopyPart{own, {Memory::output, 0, own.count}}});

  const std::int64_t segment = graph::part_of(payload.count(), ring.ranks, 0).size();
  const std::int64_t turns =
      segment == 0 ? 1 : std::max<std::int64_t>(1, (payload.largest_part() + segment - 1) / segment);
  for (std::int64_t turn = 0; turn < turns; ++turn) {
    Range outgoing = segment_of(ring.part(Memory::input, rank - 1), segment, turn);
    for (int s = 0; s < ring.ranks - 1; ++s) {
      const bool last = s == ring.ranks - 2;
      const Range operand = segment_of(ring.part(Memory::input, rank - s - 2), segment, turn);
      const Range into = last ? relative(Memory::output, operand, operand.offset - own.offset)
                              : relative(Memory::scratch, operand, s % 2 * segment);
      Step step = ring.step();
      step.send->from = outgoing;
      step.receive->into = into;
      step.receive->operand = operand;
      // Both ends know which parts have no segment left: later turns leave those messages out.
      if (turn > 0 && outgoing.count == 0) step.send.reset();
      if (turn > 0 && into.count == 0) step.receive.reset();
      emit(step);
      outgoing = into;
    }
  }
}

/// Step s of n − 1: sends part r − s, receives part r − s − 1. So rank r sends every part but r + 1.
void all_gather(const Payload& payload, int rank, const Emit& emit) {
  const Ring ring(payload, rank);
  const Range own = payload.part(Memory::output, rank);
  const Range source{Memory::input, 0, own.count};
  if (ring.ranks == 1) return emit({{}, {}, CopyPart{source, own}});
  Step step = ring.step();
  step.send->from = source;
  step.copy = CopyPart{source, own};
  for (int s = 0; s < ring.ranks - 1; ++s) {
    step.receive->into = ring.part(Memory::output, rank - s - 1);
    emit(step);
    step.send->from = step.receive->into;
    step.copy.reset();
  }
}

/// Reduce-scatter, then all-gather, within the output: no scratch. Rank r sends every part twice but its own and
/// r + 1, once each (of one rank: nothing at all).
void all_reduce(const Payload& payload, int rank, const Emit& emit) {
  const Ring ring(payload, rank);
  if (ring.ranks == 1) return emit({{}, {}, CopyPart{payload.whole(Memory::input), payload.whole(Memory::output)}});
  Step step = ring.step();
  step.send->from = ring.part(Memory::input, rank - 1);
  for (int s = 0; s < ring.ranks - 1; ++s) {
    Range& into = step.receive->into;
    into = ring.part(Memory::output, rank - s - 2);
    step.receive->operand = Range{Memory::input, into.offset, into.count};
    emit(step);
    step.send->from = into;
  }
  step.receive->operand.reset();
  for (int s = 0; s < ring.ranks - 1; ++s) {
    step.receive->into = ring.part(Memory::output, rank - s - 1);
    emit(step);
    step.send->from = step.receive->into;
  }
}

}  // namespace

AlgorithmKind ring() {
  return {"ring", "parts go from each rank to the next: 2(n-1)/n of the tensor from each of n ranks, in 2(n-1) rounds",
          all_reduce, reduce_scatter, all_gather};
}

}  // namespace ddlbench::collectives
