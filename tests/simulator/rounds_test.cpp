#include <algorithm>
#include <tuple>

#include "catch.h"
#include "program/collective_steps.h"
#include "simulator/collective_rounds.h"

using namespace ddlbench;
using namespace ddlbench::simulator;

namespace {

using Messages = std::vector<std::tuple<int, int, int, std::int64_t>>;  ///< round, from, to, bytes

program::CollectiveCall call_of(graph::Collective kind, collectives::Algorithm algorithm,
                                std::vector<std::int64_t> counts, std::int64_t count) {
  program::CollectiveCall call;
  call.kind = kind;
  call.algorithm = algorithm;
  call.counts = std::move(counts);
  call.input.type = call.output.type = {{count}, graph::DType::bf16};
  return call;
}

Messages sorted(Messages messages) {
  std::sort(messages.begin(), messages.end());
  return messages;
}

/// Compares the messages as the simulator sees them with those that ranks send and receive.
void check_rounds(const program::CollectiveCall& call, int members) {
  INFO(graph::name(call.kind) << " by " << call.algorithm.name() << " over " << members);
  Messages hops, sent, received;
  for_each_hop(call, members, [&](const Hop& hop) { hops.emplace_back(hop.round, hop.from, hop.to, hop.bytes); });
  const program::CollectiveSteps steps(call, members);
  for (int rank = 0; rank < members; ++rank) {
    int round = 0;
    for (const collectives::Step& step :
         collectives::list_of([&](const collectives::Emit& emit) { steps.emit(rank, emit); }).steps) {
      if (step.send) sent.emplace_back(round, rank, step.send->to, 2 * step.send->from.count);
      if (step.receive) received.emplace_back(round, step.receive->from, rank, 2 * step.receive->into.count);
      ++round;
    }
  }
  CHECK(sorted(hops) == sorted(sent));
  CHECK(sorted(hops) == sorted(received));
}

}  // namespace

TEST_CASE("rounds contain the messages of the steps, each sent and received in the same round") {
  for (const int members : {1, 2, 3, 4, 5, 6, 7, 8, 9, 16}) {
    std::vector<std::int64_t> uneven;
    for (int i = 0; i < members; ++i) uneven.push_back(i * i % 5);
    for (const graph::Collective kind :
         {graph::Collective::all_reduce, graph::Collective::reduce_scatter, graph::Collective::all_gather}) {
      for (const collectives::Algorithm algorithm : collectives::algorithms(kind)) {
        for (const std::int64_t count : {0, 1, 3, 100}) check_rounds(call_of(kind, algorithm, {}, count), members);
        if (kind != graph::Collective::all_reduce) check_rounds(call_of(kind, algorithm, uneven, 0), members);
      }
    }
    check_rounds(call_of(graph::Collective::broadcast, {}, {}, 10), members);
    check_rounds(call_of(graph::Collective::all_to_all, {}, {}, 3 * members), members);
  }
}
