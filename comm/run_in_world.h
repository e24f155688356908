#pragma once

#include <fmt/core.h>
#include <exception>
#include <functional>

#include "comm/communicator.h"
#include "comm/failure.h"
#include "comm/scheduled_communicator.h"

namespace ddlbench::comm {

/// Runs `body` as the one rank of this process in a world, and ends the world in any case. If `body` fails, raises the
/// world's failure, so that the other ranks end, and rethrows the exception of `body`.
template <class WorldCommunicator, class World>
void run_in_world(World& world, const std::function<void(Communicator&)>& body) {
  std::exception_ptr own;
  try {
    WorldCommunicator communicator(world, world.world_group());
    body(communicator);
  } catch (...) {
    own = std::current_exception();
    const int rank = world.context().world_rank;
    world.failure().raise(CommunicationError::Kind::lost_rank, rank, "",
                          fmt::format("rank {} failed: {}", rank, describe(own)));
  }
  try {
    world.end();
  } catch (...) {
    if (!own) throw;
  }
  if (own) std::rethrow_exception(own);
}

}  // namespace ddlbench::comm
