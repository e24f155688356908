#pragma once

#include "comm/communicator.h"
#include "program/plan.h"

namespace ddlbench::bench {

/// Throws InputError unless all ranks, each of which has compiled a plan of its own, have the same instructions. Stages
/// and cycles follow from the times in a profile, and each machine has its own. Collective.
void require_equal_plans(const program::Plan& plan, comm::Communicator& communicator);

}  // namespace ddlbench::bench
