#include "program/collective_steps.h"

#include "base/error.h"
#include "collectives/pairwise.h"
#include "collectives/tree.h"
#include "program/cost_table.h"

namespace ddlbench::program {
namespace {

collectives::Payload payload_of(const CollectiveCall& call, int members) {
  if (call.counts.empty()) return {members, moved_elements(call)};
  require(call.counts.size() == static_cast<std::size_t>(members), "a collective with a count for each member");
  return collectives::Payload(call.counts);
}

}  // namespace

CollectiveSteps::CollectiveSteps(const CollectiveCall& call, int members)
    : kind_(call.kind), steps_(call.algorithm.steps(call.kind)), payload_(payload_of(call, members)) {
  require(steps_ != nullptr || !collectives::has_algorithms(kind_),
          "a collective with an algorithm that does not implement it");
}

void CollectiveSteps::emit(int index, const collectives::Emit& emit) const {
  require(index >= 0 && index < payload_.members(), "a member of its collective");
  if (steps_ != nullptr) return steps_(payload_, index, emit);
  if (kind_ == graph::Collective::broadcast)
    return collectives::binomial_broadcast(index, payload_.members(), payload_.count(), 0, emit);
  std::vector<std::int64_t> sends;
  for (int i = 0; i < payload_.members(); ++i) sends.push_back(payload_.part(collectives::Memory::input, i).count);
  const std::vector<std::int64_t> receives(sends.size(), sends[static_cast<std::size_t>(index)]);
  collectives::pairwise_all_to_all(index, sends, receives, emit);
}

}  // namespace ddlbench::program
