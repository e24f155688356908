#include "catch.h"
#include "executor.h"
#include "graph/tensor.h"

using namespace ddlbench;
using namespace ddlbench::collectives;
using namespace ddlbench::test;

TEST_CASE("in a ring all-reduce, each rank sends two parts once and all other parts twice") {
  const Algorithm ring = find_algorithm("ring");
  for (int ranks = 2; ranks <= 9; ++ranks) {
    CHECK(rounds_of(ring, ranks) == 2 * static_cast<std::size_t>(ranks - 1));
    for (const std::int64_t count : {0, 1, 2, 7, 40}) {
      const auto part = [&](int index) { return graph::part_of(count, ranks, index % ranks).size(); };
      Values expected;
      for (int rank = 0; rank < ranks; ++rank) expected.push_back(2 * count - part(rank) - part(rank + 1));
      CHECK(sent_by_each(ring, ranks, count) == expected);
    }
  }
}

TEST_CASE("a ring's reduce-scatter does not send the rank's own part, its all-gather not that of the next rank") {
  const Algorithm ring = find_algorithm("ring");
  for (int ranks = 2; ranks <= 8; ++ranks) {
    Values counts;
    for (int i = 0; i < ranks; ++i) counts.push_back(i % 3 * 5);
    const Payload payload(counts);
    for (int rank = 0; rank < ranks; ++rank) {
      const auto sent = [&](graph::Collective kind) {
        return sent_elements([&](const Emit& emit) { ring.steps(kind)(payload, rank, emit); });
      };
      const auto part = [&](int index) { return counts[static_cast<std::size_t>(index % ranks)]; };
      CHECK(sent(graph::Collective::reduce_scatter) == total(counts) - part(rank));
      CHECK(sent(graph::Collective::all_gather) == total(counts) - part(rank + 1));
    }
  }
}
