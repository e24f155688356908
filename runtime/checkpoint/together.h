#pragma once

#include <functional>

#include "comm/communicator.h"

namespace ddlbench::runtime {

/// Calls `attempt` on each rank; where it throws InputError on any, all ranks throw the lowest one's. Collective. What
/// else it throws goes on there, and reaches the others as the world's abort.
void together(comm::Communicator& communicator, const std::function<void()>& attempt);

}  // namespace ddlbench::runtime
