#pragma once

#include <string>

#include "comm/communicator.h"
#include "comm/nccl/rank.h"

namespace ddlbench::comm::nccl {

/// Throws InputError on all ranks if two of them name the same GPU. An empty name means an unknown GPU and matches no
/// other. Collective.
void reject_shared_gpus(Communicator& control, const std::string& gpu);

/// Creates the communicator handle of `control`'s ranks. Rank 0 broadcasts its unique ID over `control`. Collective.
void init(Rank& rank, Handle& handle, Communicator& control);

}  // namespace ddlbench::comm::nccl
