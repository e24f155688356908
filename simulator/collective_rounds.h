#pragma once

#include <cstdint>
#include <vector>

#include "program/program.h"

namespace ddlbench::simulator {

/// One message of a collective, between members of its group.
struct Hop {
  int from = 0;
  int to = 0;
  std::int64_t bytes = 0;
};

/// What the members of a collective send to each other at the same time.
using Round = std::vector<Hop>;

/// Calls `visit(round)` for one round of the call's algorithm after another, as comm/algorithms executes them.
template <class Visit>
void for_each_round(const program::CollectiveCall& call, int members, Visit&& visit);

/// How many rounds there are.
int rounds(const program::CollectiveCall& call, int members);

/// The messages of round `index`, in the order of their senders.
void fill_round(const program::CollectiveCall& call, int members, int index, Round& round);

template <class Visit>
void for_each_round(const program::CollectiveCall& call, int members, Visit&& visit) {
  Round round;
  const int count = rounds(call, members);
  for (int index = 0; index < count; ++index) {
    round.clear();
    fill_round(call, members, index, round);
    visit(round);
  }
}

}  // namespace ddlbench::simulator
