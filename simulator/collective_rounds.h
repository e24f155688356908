#pragma once

#include <cstdint>
#include <functional>

#include "program/program.h"

namespace ddlbench::simulator {

/// One message of a collective, between members of its group. The n-th steps of all members are round n: what they
/// send to each other at the same time.
struct Hop {
  int round = 0;
  int from = 0;
  int to = 0;
  std::int64_t bytes = 0;
};

/// Visits every message of a call: those of the steps that transports execute, member by member.
void for_each_hop(const program::CollectiveCall& call, int members, const std::function<void(const Hop&)>& visit);

}  // namespace ddlbench::simulator
