#include "executor.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "catch.h"

namespace ddlbench::test {

using namespace collectives;

namespace {

Memory place_of(const Member& member, Memory memory) {
  return member.in_place && memory == Memory::input ? Memory::output : memory;
}

std::int64_t& at(Member& member, Memory memory, std::int64_t index) {
  const Memory place = place_of(member, memory);
  Values& values = place == Memory::input ? member.input : place == Memory::output ? member.output : member.scratch;
  return values.at(static_cast<std::size_t>(index));
}

Values read(Member& member, const Range& range) {
  Values values;
  for (std::int64_t i = 0; i < range.count; ++i) values.push_back(at(member, range.memory, range.offset + i));
  return values;
}

bool overlap(const Member& member, const Range& a, const Range& b) {
  return place_of(member, a.memory) == place_of(member, b.memory) && a.offset < b.offset + b.count &&
         b.offset < a.offset + a.count;
}

/// Checks that the parts of a step can run in any order: no part writes what another one reads or writes, unless a copy
/// has the same source and destination.
void check_apart(const Member& member, const Step& step) {
  if (step.send && step.receive) CHECK(!overlap(member, step.send->from, step.receive->into));
  if (step.send && step.copy) {
    const bool moves = !(place_of(member, step.copy->from.memory) == place_of(member, step.copy->into.memory) &&
                         step.copy->from.offset == step.copy->into.offset);
    if (moves) CHECK(!overlap(member, step.send->from, step.copy->into));
  }
  if (step.receive && step.copy) CHECK(!overlap(member, step.receive->into, step.copy->into));
}

}  // namespace

void execute(std::vector<Member>& members, const Reduce& reduce) {
  std::size_t rounds = 0;
  for (Member& member : members) {
    member.scratch.assign(static_cast<std::size_t>(member.list.scratch), -1000000);
    rounds = std::max(rounds, member.list.steps.size());
  }
  for (std::size_t round = 0; round < rounds; ++round) {
    std::map<std::pair<int, int>, Values> wire;
    const auto for_each_step = [&](const auto& visit) {
      for (int rank = 0; rank < static_cast<int>(members.size()); ++rank) {
        Member& member = members[static_cast<std::size_t>(rank)];
        if (round < member.list.steps.size()) visit(rank, member, member.list.steps[round]);
      }
    };
    for_each_step([&](int rank, Member& member, const Step& step) {
      check_apart(member, step);
      if (step.send) wire[{rank, step.send->to}] = read(member, step.send->from);
    });
    for_each_step([&](int rank, Member& member, const Step& step) {
      const Values copied = step.copy ? read(member, step.copy->from) : Values();
      if (step.receive) {
        const ReceivePart& receive = *step.receive;
        const auto message = wire.find({receive.from, rank});
        REQUIRE(message != wire.end());
        REQUIRE(static_cast<std::int64_t>(message->second.size()) == receive.into.count);
        for (std::int64_t i = 0; i < receive.into.count; ++i) {
          std::int64_t value = message->second[static_cast<std::size_t>(i)];
          if (receive.operand) {
            const std::int64_t own = at(member, receive.operand->memory, receive.operand->offset + i);
            value = receive.incoming_first ? reduce(value, own) : reduce(own, value);
          }
          at(member, receive.into.memory, receive.into.offset + i) = value;
        }
        wire.erase(message);
      }
      for (std::size_t i = 0; i < copied.size(); ++i)
        at(member, step.copy->into.memory, step.copy->into.offset + static_cast<std::int64_t>(i)) = copied[i];
    });
    REQUIRE(wire.empty());
  }
}

namespace {

Steps all_reduce_of(Algorithm algorithm, int rank, int ranks, std::int64_t count) {
  return [=](const Emit& emit) { algorithm.steps(graph::Collective::all_reduce)({ranks, count}, rank, emit); };
}

}  // namespace

Values sent_by_each(Algorithm algorithm, int ranks, std::int64_t count) {
  Values sent;
  for (int rank = 0; rank < ranks; ++rank) sent.push_back(sent_elements(all_reduce_of(algorithm, rank, ranks, count)));
  return sent;
}

std::size_t rounds_of(Algorithm algorithm, int ranks) {
  std::size_t most = 0;
  for (int rank = 0; rank < ranks; ++rank)
    most = std::max(most, list_of(all_reduce_of(algorithm, rank, ranks, 1)).steps.size());
  return most;
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

std::int64_t total(const Values& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
}
std::int64_t before(const Values& counts, int index) {
  return std::accumulate(counts.begin(), counts.begin() + index, std::int64_t{0});
}

}  // namespace ddlbench::test
