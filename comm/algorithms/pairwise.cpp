#include "comm/algorithms/pairwise.h"

#include <numeric>

namespace ddlbench::comm {

namespace {

Range part(Memory memory, const std::vector<std::int64_t>& counts, int index) {
  return {memory, std::accumulate(counts.begin(), counts.begin() + index, std::int64_t{0}),
          counts[static_cast<std::size_t>(index)]};
}

}  // namespace

StepList pairwise_all_to_all(int rank, const std::vector<std::int64_t>& send_counts,
                             const std::vector<std::int64_t>& receive_counts) {
  const int ranks = static_cast<int>(send_counts.size());
  StepList list;
  const CopyPart own{part(Memory::input, send_counts, rank), part(Memory::output, receive_counts, rank)};
  list.steps.push_back({{}, {}, own});
  for (int s = 1; s < ranks; ++s) {
    const int to = (rank + s) % ranks;
    const int from = (rank - s + ranks) % ranks;
    list.steps.push_back({SendPart{to, part(Memory::input, send_counts, to)},
                          ReceivePart{from, part(Memory::output, receive_counts, from), {}},
                          {}});
  }
  return list;
}

}  // namespace ddlbench::comm
