#include "collectives/tree.h"

#include <bit>

namespace ddlbench::collectives {

void binomial_broadcast(int rank, int ranks, std::int64_t count, int root, const Emit& emit) {
  const int v = (rank - root + ranks) % ranks;
  const auto member = [&](int node) { return (node + root) % ranks; };
  const Range whole{Memory::output, 0, count};
  for (int distance = static_cast<int>(std::bit_ceil(static_cast<unsigned>(ranks))) / 2; distance > 0; distance /= 2) {
    Step step;
    if (v % (2 * distance) == distance) step.receive = ReceivePart{member(v - distance), whole, {}};
    if (v % (2 * distance) == 0 && v + distance < ranks) step.send = SendPart{member(v + distance), whole};
    emit(step);
  }
}

void dissemination_barrier(int rank, int ranks, const Emit& emit) {
  for (int distance = 1; distance < ranks; distance *= 2) {
    const ReceivePart receive{(rank - distance + ranks) % ranks, {Memory::output, 0, 0}, {}};
    emit({SendPart{(rank + distance) % ranks, {Memory::output, 0, 0}}, receive, {}});
  }
}

}  // namespace ddlbench::collectives
