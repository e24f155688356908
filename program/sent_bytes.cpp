#include <bit>
#include <numeric>

#include "graph/error.h"
#include "program/account.h"
#include "program/cost_table.h"

namespace ddlbench::program {
namespace {

/// Elements of each member's part.
std::vector<std::int64_t> parts(const CollectiveCall& call, int members) {
  if (!call.counts.empty()) {
    require(call.counts.size() == static_cast<std::size_t>(members), "a collective with a count for each member");
    return call.counts;
  }
  std::vector<std::int64_t> counts;
  for (int i = 0; i < members; ++i) counts.push_back(graph::part_of(moved_elements(call), members, i).size());
  return counts;
}

/// Every part but that at `index` (mod members).
std::int64_t all_but(const std::vector<std::int64_t>& counts, int index) {
  const auto kept = static_cast<std::size_t>(index) % counts.size();
  return std::accumulate(counts.begin(), counts.end(), std::int64_t{0}) - counts[kept];
}

/// Around a ring, member r ends the reduction with chunk r and begins the gathering with it: it never
/// passes its own chunk on while reducing, nor that of its successor while gathering.
std::int64_t ring_reduce_scatter(const std::vector<std::int64_t>& counts, int index) {
  return all_but(counts, index);
}
std::int64_t ring_all_gather(const std::vector<std::int64_t>& counts, int index) {
  return all_but(counts, index + 1);
}

/// Whole buffers that a member sends. n = 2^k + e: the odd ones of the first 2e members hand theirs to the
/// even ones before them and get the result back; what is left exchanges k times.
int recursive_doubling_buffers(int members, int index) {
  const int participants = static_cast<int>(std::bit_floor(static_cast<unsigned>(members)));
  const int rounds = std::countr_zero(static_cast<unsigned>(participants));
  const int paired = 2 * (members - participants);
  if (index >= paired) return rounds;
  return index % 2 == 1 ? 1 : rounds + 1;
}

/// Children of member r in the binomial tree rooted at 0: r + 2^j for every 2^j below r's lowest set bit
/// (any, for the root), below n.
int binomial_children(int members, int index) {
  int children = 0;
  for (std::int64_t step = 1; index + step < members && (index & step) == 0; step *= 2) ++children;
  return children;
}

std::int64_t sent_elements(const CollectiveCall& call, int members, int index) {
  switch (call.kind) {
    case graph::Collective::all_reduce: {
      if (call.algorithm == graph::Algorithm::recursive_doubling)
        return moved_elements(call) * recursive_doubling_buffers(members, index);
      const auto chunks = parts(call, members);
      return ring_reduce_scatter(chunks, index) + ring_all_gather(chunks, index);
    }
    case graph::Collective::reduce_scatter:
      return ring_reduce_scatter(parts(call, members), index);
    case graph::Collective::all_gather:
      return ring_all_gather(parts(call, members), index);
    case graph::Collective::all_to_all:
      return all_but(parts(call, members), index);
    case graph::Collective::broadcast:
      return moved_elements(call) * binomial_children(members, index);
  }
  throw ContractError("unknown collective");
}

}  // namespace

std::int64_t sent_bytes(const CollectiveCall& call, int members, int index) {
  require(index >= 0 && index < members, "a member of its collective");
  if (members == 1) return 0;
  return sent_elements(call, members, index) * static_cast<std::int64_t>(graph::size_of(call.input.type.dtype));
}

}  // namespace ddlbench::program
