#include "comm/algorithms/tree.h"

#include <bit>

namespace ddlbench::comm {

StepList binomial_broadcast(int rank, int ranks, std::int64_t count, int root) {
  const int v = (rank - root + ranks) % ranks;
  const auto member = [&](int node) { return (node + root) % ranks; };
  const Range whole{Memory::output, 0, count};
  const auto all = static_cast<int>(std::bit_ceil(static_cast<unsigned>(ranks)));
  const int lowest_bit = v == 0 ? all : v & -v;

  StepList list;
  if (v != 0) list.steps.push_back({{}, ReceivePart{member(v - lowest_bit), whole, {}}, {}});
  for (int distance = lowest_bit / 2; distance > 0; distance /= 2) {
    if (v + distance < ranks) list.steps.push_back({SendPart{member(v + distance), whole}, {}, {}});
  }
  return list;
}

StepList dissemination_barrier(int rank, int ranks) {
  StepList list;
  for (int distance = 1; distance < ranks; distance *= 2) {
    const ReceivePart receive{(rank - distance + ranks) % ranks, {Memory::output, 0, 0}, {}};
    list.steps.push_back({SendPart{(rank + distance) % ranks, {Memory::output, 0, 0}}, receive, {}});
  }
  return list;
}

}  // namespace ddlbench::comm
