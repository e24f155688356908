#pragma once

#include "comm/communicator.h"

namespace ddlbench::comm::threads {

/// Ranks are threads of this process; as Transport::launch. A rank whose body throws is `lost_rank` to the
/// others. Any failure fails the whole world: every pending and later wait throws the first one, on all ranks.
void launch(int ranks, const WorldOptions& options, const std::function<void(Communicator&)>& body);

}  // namespace ddlbench::comm::threads
