// Properties of all registered algorithms.

#include "collectives/algorithm.h"

#include "base/error.h"
#include "catch.h"
#include "executor.h"
#include "graph/tensor.h"

using namespace ddlbench;
using namespace ddlbench::collectives;
using namespace ddlbench::test;
using graph::Collective;

namespace {

constexpr int rank_counts[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 16};

std::vector<Member> members_of(EmitSteps steps, const Payload& payload) {
  std::vector<Member> members;
  for (int rank = 0; rank < payload.members(); ++rank) {
    Member member;
    member.list = list_of([&](const Emit& emit) { steps(payload, rank, emit); });
    members.push_back(std::move(member));
  }
  return members;
}

std::int64_t rotate_and_add(std::int64_t first, std::int64_t second) {
  const auto bits = static_cast<std::uint64_t>(first);
  return static_cast<std::int64_t>(((bits << 7) | (bits >> 57)) + 3 * static_cast<std::uint64_t>(second));
}

Values uneven(int ranks, int kind) {
  Values counts;
  for (int i = 0; i < ranks; ++i)
    counts.push_back(kind == 0 ? graph::part_of(23, ranks, i).size() : kind == 1 ? i % 3 * 5 : i == ranks / 2 ? 17 : 0);
  return counts;
}

/// Returns even counts, uneven counts, a single nonzero count, and all zeros.
std::vector<Values> count_lists(int ranks) {
  return {uneven(ranks, 0), uneven(ranks, 1), uneven(ranks, 2), Values(static_cast<std::size_t>(ranks), 0)};
}

}  // namespace

TEST_CASE("every all-reduce algorithm leaves the same reduction on all ranks, in place or not") {
  for (const Algorithm algorithm : algorithms(Collective::all_reduce)) {
    INFO(algorithm.name());
    for (const int ranks : rank_counts) {
      for (const std::int64_t count : {0, 1, 2, 7, 40}) {
        for (const bool in_place : {false, true}) {
          INFO(ranks << " ranks, " << count << " elements" << (in_place ? ", in place" : ""));
          Payload payload(ranks, count);
          payload.in_place = in_place;
          const auto started = [&] {
            std::vector<Member> members = members_of(algorithm.steps(Collective::all_reduce), payload);
            for (int rank = 0; rank < ranks; ++rank) {
              Member& member = members[static_cast<std::size_t>(rank)];
              member.in_place = in_place;
              (in_place ? member.output : member.input) = values_of(rank, count);
              if (!in_place) member.output.assign(static_cast<std::size_t>(count), -7);
            }
            return members;
          };
          Values sum, maximum;
          for (std::int64_t i = 0; i < count; ++i) sum.push_back(sum_of(ranks, i));
          std::vector<Member> members = started();
          execute(members);
          for (int rank = 0; rank < ranks; ++rank) {
            const Member& member = members[static_cast<std::size_t>(rank)];
            REQUIRE(member.output == sum);
            if (!in_place) REQUIRE(member.input == values_of(rank, count));
          }
          members = started();
          execute(members, [](std::int64_t a, std::int64_t b) { return std::max(a, b); });
          for (const Member& member : members) REQUIRE(member.output == values_of(ranks - 1, count));
          // This operation is not associative, so a different order of reduction changes the result, like the last bits
          // of floats.
          members = started();
          execute(members, rotate_and_add);
          for (const Member& member : members) REQUIRE(member.output == members[0].output);
        }
      }
    }
  }
}

TEST_CASE("every reduce-scatter algorithm leaves the sum of its part on each rank") {
  for (const Algorithm algorithm : algorithms(Collective::reduce_scatter)) {
    for (const int ranks : rank_counts) {
      for (const Values& counts : count_lists(ranks)) {
        INFO(algorithm.name() << ", " << ranks << " ranks");
        std::vector<Member> members = members_of(algorithm.steps(Collective::reduce_scatter), Payload(counts));
        std::int64_t largest = 0, even = 0;
        for (int rank = 0; rank < ranks; ++rank) {
          Member& member = members[static_cast<std::size_t>(rank)];
          member.input = values_of(rank, total(counts));
          member.output.assign(static_cast<std::size_t>(counts[static_cast<std::size_t>(rank)]), -7);
          largest = std::max(largest, member.list.scratch);
        }
        const Payload same(ranks, total(counts));
        for (const Member& member : members_of(algorithm.steps(Collective::reduce_scatter), same))
          even = std::max(even, member.list.scratch);
        CHECK(largest <= even);
        execute(members);
        for (int rank = 0; rank < ranks; ++rank) {
          const Member& member = members[static_cast<std::size_t>(rank)];
          CHECK(member.input == values_of(rank, total(counts)));
          for (std::size_t i = 0; i < member.output.size(); ++i)
            REQUIRE(member.output[i] == sum_of(ranks, before(counts, rank) + static_cast<std::int64_t>(i)));
        }
      }
    }
  }
}

TEST_CASE("every all-gather algorithm leaves all parts on each rank") {
  for (const Algorithm algorithm : algorithms(Collective::all_gather)) {
    for (const int ranks : rank_counts) {
      for (const Values& counts : count_lists(ranks)) {
        INFO(algorithm.name() << ", " << ranks << " ranks");
        std::vector<Member> members = members_of(algorithm.steps(Collective::all_gather), Payload(counts));
        Values whole;
        for (int rank = 0; rank < ranks; ++rank) {
          Member& member = members[static_cast<std::size_t>(rank)];
          member.input = values_of(rank, counts[static_cast<std::size_t>(rank)]);
          whole.insert(whole.end(), member.input.begin(), member.input.end());
          member.output.assign(static_cast<std::size_t>(total(counts)), -7);
        }
        execute(members);
        for (const Member& member : members) CHECK(member.output == whole);
      }
    }
  }
}

TEST_CASE("algorithms are found by name, and the ring is the default") {
  CHECK(Algorithm().name() == "ring");
  CHECK(find_algorithm("ring") == Algorithm());
  CHECK(find_algorithm("native") == native());
  for (const Collective kind : {Collective::all_reduce, Collective::reduce_scatter, Collective::all_gather}) {
    const std::vector<Algorithm> all = algorithms(kind);
    CHECK(all.front() == Algorithm());
    CHECK(std::find(all.begin(), all.end(), native()) == all.end());
  }
  CHECK(find_algorithm("ring") < native());
  CHECK_THROWS_AS(find_algorithm("rign"), InputError);
}

TEST_CASE("the native algorithm is counted as if the ring had sent its data") {
  const Payload payload({5, 3, 2});
  CHECK(nominal_elements(Collective::reduce_scatter, payload, 0) == 5);
  CHECK(nominal_elements(Collective::all_gather, payload, 0) == 7);
  CHECK(nominal_elements(Collective::all_reduce, Payload(4, 1000), 3) == 1500);
}
