#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "collectives/algorithm.h"

namespace ddlbench::test {

using Values = std::vector<std::int64_t>;

/// A rank of the executor: its steps and its memories.
struct Member {
  collectives::StepList list;
  Values input;
  Values output;
  bool in_place = false;  ///< the input is in the output buffer
  Values scratch = {};
};

/// Combines a received value and its operand, in the order of the reduction.
using Reduce = std::function<std::int64_t(std::int64_t first, std::int64_t second)>;

/// Runs all members round by round. Checks that every message is received in the round in which it is sent, with the
/// same size, and that a step does not read or send elsewhere what it writes in the same round.
void execute(std::vector<Member>& members, const Reduce& reduce = std::plus<>());

/// Return the number of elements that each rank sends in an all-reduce, and the number of rounds, which is the largest
/// number of steps of a rank.
Values sent_by_each(collectives::Algorithm algorithm, int ranks, std::int64_t count);
std::size_t rounds_of(collectives::Algorithm algorithm, int ranks);

/// Returns the value of a rank at an index before anything runs.
std::int64_t value_of(int rank, std::int64_t index);
Values values_of(int rank, std::int64_t count);
std::int64_t sum_of(int ranks, std::int64_t index);

std::int64_t total(const Values& counts);
std::int64_t before(const Values& counts, int index);

}  // namespace ddlbench::test
