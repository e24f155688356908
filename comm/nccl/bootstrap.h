#pragma once

#include <string>

#include "comm/communicator.h"
#include "comm/nccl/rank.h"

namespace ddlbench::comm::nccl {

/// Throws InputError on all ranks where two of them name one GPU; an empty name is nobody's. Collective.
void refuse_shared_gpus(Communicator& control, const std::string& gpu);

/// Makes the handle of `control`'s ranks: the first one's unique id comes to all over `control`. Collective.
void init(Rank& rank, Handle& handle, Communicator& control);

}  // namespace ddlbench::comm::nccl
