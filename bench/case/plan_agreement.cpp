#include "bench/case/plan_agreement.h"

#include <fmt/core.h>

#include "base/error.h"
#include "base/hash.h"
#include "comm/all_gather.h"
#include "program/actions.h"
#include "program/cost_table.h"

namespace ddlbench::bench {
namespace {

/// Returns a digest of the names of all instructions, and of the work of collectives.
std::int64_t digest_of(const program::Plan& plan) {
  std::uint64_t digest = fnv1a("");
  for (const program::Role& role : plan.roles)
    for (const program::Program* program : {&role.train, &role.evaluate})
      for (const program::Instructions* section : program::sections(*program))
        for (const program::Instruction& instruction : *section) {
          digest = fnv1a(instruction.name, digest);
          if (const program::CollectiveCall* call = program::collective(instruction.action))
            digest = fnv1a(program::cost_key(*call, program::member_count(call->group, plan.meshes)), digest);
        }
  return static_cast<std::int64_t>(digest);
}

}  // namespace

void require_equal_plans(const program::Plan& plan, comm::Communicator& communicator) {
  const std::vector<std::int64_t> own{digest_of(plan)};
  const auto of_ranks = comm::all_gather(communicator, own);
  for (std::size_t rank = 0; rank < of_ranks.size(); ++rank)
    if (of_ranks[rank] != of_ranks[0])
      throw InputError(
          fmt::format("rank {} has compiled another plan than rank 0, because their machines have different profiles: "
                      "set DDLBENCH_NO_CACHE, so that all plans follow from FLOPs",
                      rank));
}

}  // namespace ddlbench::bench
