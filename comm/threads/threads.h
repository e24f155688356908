#pragma once

#include "comm/communicator.h"

namespace ddlbench::comm::threads {

/// Does what Transport::launch says, with ranks that are threads of this process. If the body of a rank throws, the
/// other ranks see a `lost_rank`. Any failure affects the whole world: all pending and later waits of all ranks throw
/// the first one.
void launch(int ranks, const WorldOptions& options, const std::function<void(Communicator&)>& body);

}  // namespace ddlbench::comm::threads
