#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "comm/communicator.h"
#include "comm/nccl/api.h"
#include "comm/nccl/nccl.h"

namespace ddlbench::comm::nccl {

/// Do what nccl_state() and make_nccl() do, with the functions of `api`.
NcclState state_of(const Api& api);
std::unique_ptr<Communicator> make(const Api& api, Communicator& control, cudaStream_t stream,
                                   std::chrono::milliseconds timeout, const std::string& gpu);

}  // namespace ddlbench::comm::nccl
