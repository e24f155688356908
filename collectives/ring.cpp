// The bandwidth-optimal ring of n ranks: each rank sends to its successor r + 1 and receives from its predecessor
// r − 1, modulo n. The whole tensor consists of the payload's parts. Every element is summed in ring order: part p
// starts at rank p + 1 and ends at rank p, which is the only one to hold the sum and distributes its bits.

#include <algorithm>

#include "collectives/algorithm.h"
#include "graph/tensor.h"

namespace ddlbench::collectives {

namespace {

/// The position of one rank on the ring.
struct Ring {
  Ring(const Payload& whole, int own_rank) : payload(whole), rank(own_rank), ranks(whole.members()) {}

  /// Maps an index in [−n, 2n) to [0, n).
  int wrap(int index) const { return index < 0 ? index + ranks : index >= ranks ? index - ranks : index; }
  Range part(Memory memory, int index) const { return payload.part(memory, wrap(index)); }

  /// Returns a step that sends to the next rank and receives from the previous one. The caller sets the ranges of each
  /// step: what one step receives, the next one sends.
  Step step() const { return {SendPart{wrap(rank + 1), {}}, ReceivePart{wrap(rank - 1), {}, {}}, {}}; }

  const Payload& payload;
  int rank;
  int ranks;
};

/// Returns segment number `turn` of a part; it may be empty.
Range segment_of(Range part, std::int64_t segment, std::int64_t turn) {
  const std::int64_t begin = std::min(part.count, turn * segment);
  const std::int64_t end = std::min(part.count, begin + segment);
  return {part.memory, part.offset + begin, end - begin};
}

Range relative(Memory memory, const Range& part, std::int64_t offset) {
  return {memory, offset, part.count};
}

/// In step s of n − 1, rank r sends part r − s − 1, receives part r − s − 2 and reduces it. Part r ends up in the
/// output of rank r, so rank r sends every part but its own. The input is not modified, unless the output is the own
/// part of the input.
/// Partial sums in transit need scratch: two segments of the size of the largest part of an even split (none for 1 or 2
/// ranks, one for 3), whatever the counts. Parts larger than a segment take several turns of n − 1 steps; the number of
/// elements sent does not change.
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
      // Both ends know which parts have no segment left, so later turns omit those messages.
      if (turn > 0 && outgoing.count == 0) step.send.reset();
      if (turn > 0 && into.count == 0) step.receive.reset();
      emit(step);
      outgoing = into;
    }
  }
}

/// In step s of n − 1, rank r sends part r − s and receives part r − s − 1. So rank r sends every part but part r + 1.
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

/// Emits a reduce-scatter, then an all-gather, within the output and without scratch. Rank r sends every part twice,
/// except its own and part r + 1, which it sends once each (with one rank, it sends nothing).
void ring_all_reduce(const Payload& payload, int rank, const Emit& emit) {
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
  return {"ring", "each rank passes parts to the next: each of n ranks sends 2(n-1)/n of the tensor, in 2(n-1) rounds",
          ring_all_reduce, reduce_scatter, all_gather};
}

}  // namespace ddlbench::collectives
