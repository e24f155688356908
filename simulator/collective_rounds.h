#pragma once

#include <cstdint>
#include <functional>

#include "program/program.h"

namespace ddlbench::simulator {

/// One message of a collective, between members of its group. The n-th steps of all members form round n: the messages
/// that they send at the same time.
struct Hop {
  int round = 0;
  int from = 0;
  int to = 0;
  std::int64_t bytes = 0;
};

/// Visits every message of a call, member by member. The messages are those of the steps that transports execute.
void for_each_hop(const program::CollectiveCall& call, int members, const std::function<void(const Hop&)>& visit);

}  // namespace ddlbench::simulator
