#include "comm/algorithms/ring.h"

#include <algorithm>
#include <numeric>

#include "graph/tensor.h"

namespace ddlbench::comm {

namespace {

struct Ring {
  Ring(int own_rank, const std::vector<std::int64_t>& chunk_counts)
      : rank(own_rank), ranks(static_cast<int>(chunk_counts.size())), counts(chunk_counts), offsets(counts.size(), 0) {
    std::partial_sum(counts.begin(), counts.end() - 1, offsets.begin() + 1);
  }

  int wrap(int chunk) const { return ((chunk % ranks) + ranks) % ranks; }
  int next() const { return wrap(rank + 1); }
  int previous() const { return wrap(rank - 1); }

  Range chunk(Memory memory, int index) const {
    const auto i = static_cast<std::size_t>(wrap(index));
    return {memory, offsets[i], counts[i]};
  }

  int rank;
  int ranks;
  std::vector<std::int64_t> counts;
  std::vector<std::int64_t> offsets;
};

/// The `turn`-th segment of a chunk, possibly empty.
Range segment_of(Range chunk, std::int64_t segment, std::int64_t turn) {
  const std::int64_t begin = std::min(chunk.count, turn * segment);
  const std::int64_t end = std::min(chunk.count, begin + segment);
  return {chunk.memory, chunk.offset + begin, end - begin};
}

std::int64_t segment_elements(std::int64_t count, int ranks) {
  return graph::part_of(count, ranks, 0).size();
}

Range relative(Memory memory, const Range& part, std::int64_t offset) {
  return {memory, offset, part.count};
}

}  // namespace

std::int64_t ring_reduce_scatter_scratch(std::int64_t count, int ranks) {
  return std::clamp(ranks - 2, 0, 2) * segment_elements(count, ranks);
}

StepList ring_reduce_scatter(int rank, const std::vector<std::int64_t>& counts) {
  const Ring ring(rank, counts);
  const std::int64_t count = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
  const std::int64_t segment = segment_elements(count, ring.ranks);
  const Range own = ring.chunk(Memory::input, rank);
  StepList list;
  list.scratch = ring_reduce_scatter_scratch(count, ring.ranks);
  if (ring.ranks == 1) {
    list.steps.push_back({{}, {}, CopyPart{own, {Memory::output, 0, own.count}}});
    return list;
  }

  const std::int64_t largest = *std::max_element(counts.begin(), counts.end());
  const std::int64_t turns = segment == 0 ? 1 : std::max<std::int64_t>(1, (largest + segment - 1) / segment);
  for (std::int64_t turn = 0; turn < turns; ++turn) {
    for (int s = 0; s < ring.ranks - 1; ++s) {
      const bool last = s == ring.ranks - 2;
      Range outgoing = segment_of(ring.chunk(Memory::input, rank - s - 1), segment, turn);
      if (s > 0) outgoing = relative(Memory::scratch, outgoing, (s - 1) % 2 * segment);
      const Range operand = segment_of(ring.chunk(Memory::input, rank - s - 2), segment, turn);
      const Range into = last ? relative(Memory::output, operand, operand.offset - own.offset)
                              : relative(Memory::scratch, operand, s % 2 * segment);
      // Both ends know which chunks have no segment left: later turns leave those messages out.
      Step step;
      if (turn == 0 || outgoing.count > 0) step.send = SendPart{ring.next(), outgoing};
      if (turn == 0 || into.count > 0) step.receive = ReceivePart{ring.previous(), into, operand};
      if (step.send || step.receive) list.steps.push_back(step);
    }
  }
  return list;
}

StepList ring_all_gather(int rank, const std::vector<std::int64_t>& counts) {
  const Ring ring(rank, counts);
  const Range own = ring.chunk(Memory::output, rank);
  const Range source{Memory::input, 0, own.count};
  StepList list;
  if (ring.ranks == 1) {
    list.steps.push_back({{}, {}, CopyPart{source, own}});
    return list;
  }
  for (int s = 0; s < ring.ranks - 1; ++s) {
    Step step;
    step.send = SendPart{ring.next(), s == 0 ? source : ring.chunk(Memory::output, rank - s)};
    step.receive = ReceivePart{ring.previous(), ring.chunk(Memory::output, rank - s - 1), {}};
    if (s == 0) step.copy = CopyPart{source, own};
    list.steps.push_back(step);
  }
  return list;
}

StepList ring_all_reduce(int rank, int ranks, std::int64_t count) {
  std::vector<std::int64_t> counts;
  for (int i = 0; i < ranks; ++i) counts.push_back(graph::part_of(count, ranks, i).size());
  const Ring ring(rank, counts);
  StepList list;
  if (ranks == 1) {
    list.steps.push_back({{}, {}, CopyPart{{Memory::input, 0, count}, {Memory::output, 0, count}}});
    return list;
  }
  for (int s = 0; s < ranks - 1; ++s) {
    Step step;
    step.send = SendPart{ring.next(), ring.chunk(s == 0 ? Memory::input : Memory::output, rank - s - 1)};
    step.receive =
        ReceivePart{ring.previous(), ring.chunk(Memory::output, rank - s - 2), ring.chunk(Memory::input, rank - s - 2)};
    list.steps.push_back(step);
  }
  for (int s = 0; s < ranks - 1; ++s) {
    Step step;
    step.send = SendPart{ring.next(), ring.chunk(Memory::output, rank - s)};
    step.receive = ReceivePart{ring.previous(), ring.chunk(Memory::output, rank - s - 1), {}};
    list.steps.push_back(step);
  }
  return list;
}

}  // namespace ddlbench::comm
