#include <algorithm>
#include <deque>
#include <map>
#include <numeric>
#include <vector>

#include "catch.h"
#include "comm/algorithms/pairwise.h"
#include "comm/algorithms/recursive_doubling.h"
#include "comm/algorithms/ring.h"
#include "comm/algorithms/tree.h"
#include "graph/tensor.h"

using namespace ddlbench;
using namespace ddlbench::comm;

namespace {

using Values = std::vector<std::int64_t>;

/// A rank of the interpreter: its lists and its memories.
struct Member {
  StepList list;
  Values input;
  Values output;
  Values scratch = {};
  std::size_t step = 0;
  bool posted = false;
};

std::int64_t& at(Member& member, Memory memory, std::int64_t index) {
  Values& values = memory == Memory::input ? member.input : memory == Memory::output ? member.output : member.scratch;
  return values.at(static_cast<std::size_t>(index));
}

Values read(Member& member, const Range& range) {
  Values values;
  for (std::int64_t i = 0; i < range.count; ++i) values.push_back(at(member, range.memory, range.offset + i));
  return values;
}

/// Runs the lists with rendezvous messages; false if they deadlock.
bool interpret(std::vector<Member>& members) {
  for (Member& member : members) member.scratch.assign(static_cast<std::size_t>(member.list.scratch), -1000000);
  std::map<std::pair<int, int>, std::deque<Values>> wire;
  for (bool moved = true; moved;) {
    moved = false;
    for (int rank = 0; rank < static_cast<int>(members.size()); ++rank) {
      Member& member = members[static_cast<std::size_t>(rank)];
      if (member.step == member.list.steps.size()) continue;
      const Step& step = member.list.steps[member.step];
      if (step.send && !member.posted) wire[{rank, step.send->to}].push_back(read(member, step.send->from));
      member.posted = true;
      if (step.receive) {
        auto& queue = wire[{step.receive->from, rank}];
        if (queue.empty()) continue;
        const Values message = queue.front();
        queue.pop_front();
        const ReceivePart& receive = *step.receive;
        REQUIRE(static_cast<std::int64_t>(message.size()) == receive.into.count);
        for (std::int64_t i = 0; i < receive.into.count; ++i) {
          std::int64_t value = message[static_cast<std::size_t>(i)];
          if (receive.operand) value += at(member, receive.operand->memory, receive.operand->offset + i);
          at(member, receive.into.memory, receive.into.offset + i) = value;
        }
      }
      if (step.copy) {
        const Values values = read(member, step.copy->from);
        for (std::int64_t i = 0; i < step.copy->into.count; ++i) {
          at(member, step.copy->into.memory, step.copy->into.offset + i) = values[static_cast<std::size_t>(i)];
        }
      }
      ++member.step;
      member.posted = false;
      moved = true;
    }
  }
  const bool finished = std::all_of(members.begin(), members.end(),
                                    [](const Member& member) { return member.step == member.list.steps.size(); });
  for (const auto& [pair, queue] : wire) {
    if (!queue.empty()) return false;
  }
  return finished;
}

std::int64_t value_of(int rank, std::int64_t index) {
  return 1000 * (rank + 1) + index;
}

Values values_of(int rank, std::int64_t count) {
  Values values;
  for (std::int64_t i = 0; i < count; ++i) values.push_back(value_of(rank, i));
  return values;
}

std::int64_t sum_of(int ranks, std::int64_t index) {
  std::int64_t sum = 0;
  for (int rank = 0; rank < ranks; ++rank) sum += value_of(rank, index);
  return sum;
}

std::vector<Values> count_lists(int ranks) {
  Values even, ramp, one(static_cast<std::size_t>(ranks), 0);
  for (int i = 0; i < ranks; ++i) {
    even.push_back(graph::part_of(23, ranks, i).size());
    ramp.push_back(i % 3 * 5);
  }
  one[static_cast<std::size_t>(ranks / 2)] = 17;
  return {even, ramp, one, Values(static_cast<std::size_t>(ranks), 0)};
}

std::int64_t total(const Values& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
}
std::int64_t before(const Values& counts, int index) {
  return std::accumulate(counts.begin(), counts.begin() + index, std::int64_t{0});
}

}  // namespace

TEST_CASE("all-reduces sum over all ranks and send what their headers say") {
  for (int ranks = 1; ranks <= 9; ++ranks) {
    for (const std::int64_t count : {0, 1, 2, 7, 40}) {
      for (const bool doubling : {false, true}) {
        std::vector<Member> members;
        for (int rank = 0; rank < ranks; ++rank) {
          const StepList list =
              doubling ? recursive_doubling_all_reduce(rank, ranks, count, false) : ring_all_reduce(rank, ranks, count);
          members.push_back({list, values_of(rank, count), Values(static_cast<std::size_t>(count), -7)});
        }
        REQUIRE(interpret(members));
        int levels = 0;
        while ((2 << levels) <= ranks) ++levels;
        const int pairs = ranks - (1 << levels);
        for (int rank = 0; rank < ranks; ++rank) {
          for (std::int64_t i = 0; i < count; ++i) {
            REQUIRE(members[static_cast<std::size_t>(rank)].output[static_cast<std::size_t>(i)] == sum_of(ranks, i));
          }
          std::int64_t expected = 0;
          if (doubling) {
            const bool odd = rank < 2 * pairs && rank % 2 == 1;
            const bool even = rank < 2 * pairs && rank % 2 == 0;
            expected = odd ? count : (levels + (even ? 1 : 0)) * count;
          } else if (ranks > 1) {
            expected = 2 * count - graph::part_of(count, ranks, rank).size() -
                       graph::part_of(count, ranks, (rank + 1) % ranks).size();
          }
          CHECK(sent_elements(members[static_cast<std::size_t>(rank)].list) == expected);
        }
      }
    }
  }
}

TEST_CASE("a recursive doubling in place never writes what it sends in the same step") {
  for (int ranks = 2; ranks <= 9; ++ranks) {
    for (int rank = 0; rank < ranks; ++rank) {
      for (const Step& step : recursive_doubling_all_reduce(rank, ranks, 5, true).steps) {
        if (!step.send || !step.receive) continue;
        const auto place = [](Memory memory) { return memory == Memory::input ? Memory::output : memory; };
        CHECK(place(step.send->from.memory) != place(step.receive->into.memory));
      }
    }
  }
}

TEST_CASE("a ring reduce-scatter leaves each rank the sum of its own chunk") {
  for (int ranks = 1; ranks <= 8; ++ranks) {
    for (const Values& counts : count_lists(ranks)) {
      std::vector<Member> members;
      for (int rank = 0; rank < ranks; ++rank) {
        const auto own = static_cast<std::size_t>(rank);
        const StepList list = ring_reduce_scatter(rank, counts);
        CHECK(list.scratch <= ring_reduce_scatter_scratch(total(counts), ranks));
        CHECK(sent_elements(list) == (ranks == 1 ? 0 : total(counts) - counts[own]));
        members.push_back({list, values_of(rank, total(counts)), Values(static_cast<std::size_t>(counts[own]), -7)});
      }
      REQUIRE(interpret(members));
      for (int rank = 0; rank < ranks; ++rank) {
        const Member& member = members[static_cast<std::size_t>(rank)];
        CHECK(member.input == values_of(rank, total(counts)));
        for (std::size_t i = 0; i < member.output.size(); ++i) {
          REQUIRE(member.output[i] == sum_of(ranks, before(counts, rank) + static_cast<std::int64_t>(i)));
        }
      }
    }
  }
}

TEST_CASE("a ring all-gather leaves every rank all chunks") {
  for (int ranks = 1; ranks <= 8; ++ranks) {
    for (const Values& counts : count_lists(ranks)) {
      std::vector<Member> members;
      Values whole;
      for (int rank = 0; rank < ranks; ++rank) {
        const Values own = values_of(rank, counts[static_cast<std::size_t>(rank)]);
        whole.insert(whole.end(), own.begin(), own.end());
        const StepList list = ring_all_gather(rank, counts);
        const auto next = static_cast<std::size_t>((rank + 1) % ranks);
        CHECK(sent_elements(list) == (ranks == 1 ? 0 : total(counts) - counts[next]));
        members.push_back({list, own, Values(static_cast<std::size_t>(total(counts)), -7)});
      }
      REQUIRE(interpret(members));
      for (const Member& member : members) CHECK(member.output == whole);
    }
  }
}

TEST_CASE("a binomial broadcast reaches every rank once, from any root") {
  for (int ranks = 1; ranks <= 9; ++ranks) {
    for (int root = 0; root < ranks; ++root) {
      std::vector<Member> members;
      std::int64_t sent = 0;
      for (int rank = 0; rank < ranks; ++rank) {
        const StepList list = binomial_broadcast(rank, ranks, 4, root);
        sent += sent_elements(list);
        members.push_back({list, {}, rank == root ? values_of(root, 4) : Values(4, -7)});
      }
      REQUIRE(interpret(members));
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
      const StepList list = pairwise_all_to_all(rank, sends, receives);
      CHECK(sent_elements(list) == total(sends) - sends[static_cast<std::size_t>(rank)]);
      members.push_back({list, input, Values(static_cast<std::size_t>(total(receives)), -7)});
    }
    REQUIRE(interpret(members));
    for (int rank = 0; rank < ranks; ++rank) {
      Values expected;
      for (int from = 0; from < ranks; ++from) {
        for (std::int64_t i = 0; i < size(from, rank); ++i) expected.push_back(from * 10000 + rank * 100 + i);
      }
      CHECK(members[static_cast<std::size_t>(rank)].output == expected);
    }
  }
}
