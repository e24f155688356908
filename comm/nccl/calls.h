#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "comm/communicator.h"
#include "comm/nccl/api.h"

namespace ddlbench::comm::nccl {

/// One NCCL call, which may be made many times. Counts are in elements of `type`.
struct Call {
  enum class Kind : std::uint8_t { all_reduce, reduce, reduce_scatter, all_gather, broadcast, send, receive };
  Kind kind = Kind::all_reduce;
  const void* input = nullptr;
  void* output = nullptr;
  std::size_t count = 0;
  ncclDataType_t type = ncclUint8;
  ncclRedOp_t op = ncclSum;
  int peer = 0;  ///< for broadcast and reduce: the root

  ncclResult_t make(const Api& api, ncclComm_t communicator, cudaStream_t stream) const;
};

// The NCCL calls that make up an operation; they are issued as one group. Calls without elements are omitted, on all
// members alike. NCCL's own collectives require parts of equal size, so uneven parts become one reduce or one broadcast
// per part.

std::vector<Call> calls_of(const Reduce& call);
std::vector<Call> reduce_scatter_calls(const Parts& call, int rank);
std::vector<Call> all_gather_calls(const Parts& call, int rank);
std::vector<Call> calls_of(const Redistribute& call);
std::vector<Call> calls_of(const Broadcast& call);
std::vector<Call> calls_of(const std::vector<Outgoing>& sends, const std::vector<Incoming>& receives);

}  // namespace ddlbench::comm::nccl
