#include "simulator/collective_rounds.h"

#include <bit>

#include "graph/error.h"
#include "program/cost_table.h"

namespace ddlbench::simulator {

using namespace program;
using graph::Algorithm;
using graph::Collective;

namespace {

int wrap(int index, int members) {
  return ((index % members) + members) % members;
}

std::int64_t element_bytes(const CollectiveCall& call) {
  return static_cast<std::int64_t>(graph::size_of(call.input.type.dtype));
}

std::int64_t part_bytes(const CollectiveCall& call, int members, int part) {
  const int index = wrap(part, members);
  const std::int64_t elements = call.counts.empty() ? graph::part_of(moved_elements(call), members, index).size()
                                                    : call.counts.at(static_cast<std::size_t>(index));
  return elements * element_bytes(call);
}

/// Every member r passes part r + shift on to its successor.
void fill_ring(const CollectiveCall& call, int members, int shift, Round& round) {
  for (int r = 0; r < members; ++r) round.push_back({r, wrap(r + 1, members), part_bytes(call, members, r + shift)});
}

/// n = 2^k + e members: the first 2e pair up, so that 2^k exchange.
struct Doubling {
  explicit Doubling(int members)
      : core(static_cast<int>(std::bit_floor(static_cast<unsigned>(members)))),
        levels(std::countr_zero(static_cast<unsigned>(core))),
        pairs(members - core) {}
  int member_at(int position) const { return position < pairs ? 2 * position : position + pairs; }
  int rounds() const { return levels + (pairs > 0 ? 2 : 0); }
  int core, levels, pairs;
};

void fill_doubling(const CollectiveCall& call, int members, int index, Round& round) {
  const Doubling doubling(members);
  const std::int64_t bytes = moved_elements(call) * element_bytes(call);
  const bool first = doubling.pairs > 0 && index == 0;
  const bool last = doubling.pairs > 0 && index == doubling.rounds() - 1;
  if (first || last) {
    for (int p = 0; p < doubling.pairs; ++p) {
      round.push_back(first ? Hop{2 * p + 1, 2 * p, bytes} : Hop{2 * p, 2 * p + 1, bytes});
    }
    return;
  }
  const int distance = 1 << (index - (doubling.pairs > 0 ? 1 : 0));
  for (int p = 0; p < doubling.core; ++p) {
    round.push_back({doubling.member_at(p), doubling.member_at(p ^ distance), bytes});
  }
}

/// The binomial tree from member 0, the largest distance first.
void fill_broadcast(const CollectiveCall& call, int members, int index, Round& round) {
  const int distance = static_cast<int>(std::bit_ceil(static_cast<unsigned>(members))) >> (index + 1);
  const std::int64_t bytes = moved_elements(call) * element_bytes(call);
  for (int r = 0; r + distance < members; r += 2 * distance) round.push_back({r, r + distance, bytes});
}

}  // namespace

int rounds(const CollectiveCall& call, int members) {
  require(members >= 1 && (call.counts.empty() || call.counts.size() == static_cast<std::size_t>(members)),
          "a collective with a count for each member");
  if (members == 1) return 0;
  switch (call.kind) {
    case Collective::all_reduce:
      return call.algorithm == Algorithm::recursive_doubling ? Doubling(members).rounds() : 2 * (members - 1);
    case Collective::reduce_scatter:
    case Collective::all_gather:
    case Collective::all_to_all:
      return members - 1;
    case Collective::broadcast:
      return std::countr_zero(std::bit_ceil(static_cast<unsigned>(members)));
  }
  throw ContractError("a collective of no known kind");
}

void fill_round(const CollectiveCall& call, int members, int index, Round& round) {
  switch (call.kind) {
    case Collective::all_reduce:
      if (call.algorithm == Algorithm::recursive_doubling) return fill_doubling(call, members, index, round);
      if (index >= members - 1) return fill_ring(call, members, -(index - members + 1), round);
      return fill_ring(call, members, -index - 1, round);
    case Collective::reduce_scatter:
      return fill_ring(call, members, -index - 1, round);
    case Collective::all_gather:
      return fill_ring(call, members, -index, round);
    case Collective::all_to_all:
      for (int r = 0; r < members; ++r) {
        const int to = wrap(r + index + 1, members);
        round.push_back({r, to, part_bytes(call, members, to)});
      }
      return;
    case Collective::broadcast:
      return fill_broadcast(call, members, index, round);
  }
  throw ContractError("a collective of no known kind");
}

}  // namespace ddlbench::simulator
