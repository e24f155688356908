// Broadcast, all-to-all and barrier, which have a single implementation each.

#include "catch.h"
#include "collectives/pairwise.h"
#include "collectives/tree.h"
#include "executor.h"

using namespace ddlbench;
using namespace ddlbench::collectives;
using namespace ddlbench::test;

TEST_CASE("a binomial broadcast reaches every rank once, from any root") {
  for (int ranks = 1; ranks <= 9; ++ranks) {
    for (int root = 0; root < ranks; ++root) {
      std::vector<Member> members;
      std::int64_t sent = 0;
      for (int rank = 0; rank < ranks; ++rank) {
        const Steps steps = [&](const Emit& emit) { binomial_broadcast(rank, ranks, 4, root, emit); };
        sent += sent_elements(steps);
        members.push_back({list_of(steps), {}, rank == root ? values_of(root, 4) : Values(4, -7)});
      }
      execute(members);
      for (const Member& member : members) CHECK(member.output == values_of(root, 4));
      CHECK(sent == 4 * (ranks - 1));
    }
  }
}

TEST_CASE("a pairwise all-to-all transposes parts of uneven size") {
  const auto size = [](int from, int to) { return std::int64_t{(3 * from + to) % 4}; };
  for (int ranks = 1; ranks <= 8; ++ranks) {
    std::vector<Member> members;
    for (int rank = 0; rank < ranks; ++rank) {
      Values sends, receives;
      for (int other = 0; other < ranks; ++other) {
        sends.push_back(size(rank, other));
        receives.push_back(size(other, rank));
      }
      Values input;
      for (int to = 0; to < ranks; ++to) {
        for (std::int64_t i = 0; i < size(rank, to); ++i) input.push_back(rank * 10000 + to * 100 + i);
      }
      const Steps steps = [&](const Emit& emit) { pairwise_all_to_all(rank, sends, receives, emit); };
      CHECK(sent_elements(steps) == total(sends) - sends[static_cast<std::size_t>(rank)]);
      members.push_back({list_of(steps), input, Values(static_cast<std::size_t>(total(receives)), -7)});
    }
    execute(members);
    for (int rank = 0; rank < ranks; ++rank) {
      Values expected;
      for (int from = 0; from < ranks; ++from) {
        for (std::int64_t i = 0; i < size(from, rank); ++i) expected.push_back(from * 10000 + rank * 100 + i);
      }
      CHECK(members[static_cast<std::size_t>(rank)].output == expected);
    }
  }
}

TEST_CASE("in a dissemination barrier, every rank depends on every other rank") {
  for (int ranks = 1; ranks <= 9; ++ranks) {
    std::vector<std::vector<Step>> steps;
    for (int rank = 0; rank < ranks; ++rank)
      steps.push_back(list_of([&](const Emit& emit) { dissemination_barrier(rank, ranks, emit); }).steps);
    std::vector<std::vector<bool>> knows(steps.size(), std::vector<bool>(steps.size(), false));
    for (std::size_t rank = 0; rank < knows.size(); ++rank) knows[rank][rank] = true;
    for (std::size_t round = 0; round < steps[0].size(); ++round) {
      const auto old = knows;
      for (std::size_t rank = 0; rank < knows.size(); ++rank) {
        const auto from = static_cast<std::size_t>(steps[rank][round].receive.value().from);
        CHECK(steps[from][round].send.value().to == static_cast<int>(rank));
        for (std::size_t other = 0; other < knows.size(); ++other)
          if (old[from][other]) knows[rank][other] = true;
      }
    }
    for (const auto& own : knows) CHECK(own == std::vector<bool>(steps.size(), true));
  }
}
