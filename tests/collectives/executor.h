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
  bool in_place = false;  ///< the input lies in the output
  Values scratch = {};
};

/// Of what arrives and its operand, in the order in which they are reduced.
using Reduce = std::function<std::int64_t(std::int64_t first, std::int64_t second)>;

/// Runs the members round by round: what one sends in a round another must receive in it, of the same size, and what a
/// step writes it must not send or read elsewhere in the same round.
void execute(std::vector<Member>& members, const Reduce& reduce = std::plus<>());

/// Elements that each rank sends in an all-reduce, and its rounds: the most steps that a rank has.
Values sent_by_each(collectives::Algorithm algorithm, int ranks, std::int64_t count);
std::size_t rounds_of(collectives::Algorithm algorithm, int ranks);

/// What a rank holds at an index before anything runs.
std::int64_t value_of(int rank, std::int64_t index);
Values values_of(int rank, std::int64_t count);
std::int64_t sum_of(int ranks, std::int64_t index);

std::int64_t total(const Values& counts);
std::int64_t before(const Values& counts, int index);

}  // namespace ddlbench::test
