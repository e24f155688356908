#pragma once

#include <functional>

#include "comm/communicator.h"

namespace ddlbench::runtime {

/// Calls `attempt` on each rank. If it throws InputError on any rank, all ranks throw the error of the lowest such
/// rank. Collective. Other exceptions propagate on their rank, and abort the communication of the others.
void throw_on_all(comm::Communicator& communicator, const std::function<void()>& attempt);

}  // namespace ddlbench::runtime
