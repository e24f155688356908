#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "comm/communicator.h"
#include "comm/nccl/api.h"

namespace ddlbench::comm::nccl {

/// One call of NCCL, made again and again. Counts are in elements of `type`.
struct Call {
  enum class Kind : std::uint8_t { all_reduce, reduce, reduce_scatter, all_gather, broadcast, send, receive };
  Kind kind = Kind::all_reduce;
  const void* input = nullptr;
  void* output = nullptr;
  std::size_t count = 0;
  ncclDataType_t type = ncclUint8;
  ncclRedOp_t op = ncclSum;
  int peer = 0;  ///< the root, of broadcast and reduce

  ncclResult_t make(const Api& api, ncclComm_t communicator, cudaStream_t stream) const;
};

// What an operation is made of: calls to be made in one group. What has no elements is left out, as it is on all
// members. NCCL's own collectives want parts of one size: parts of several sizes go as one reduce, or one broadcast,
// for each part.

std::vector<Call> calls_of(const Reduce& call);
std::vector<Call> reduce_scatter_calls(const Parts& call, int rank);
std::vector<Call> all_gather_calls(const Parts& call, int rank);
std::vector<Call> calls_of(const Redistribute& call);
std::vector<Call> calls_of(const Broadcast& call);
std::vector<Call> calls_of(const std::vector<Outgoing>& sends, const std::vector<Incoming>& receives);

}  // namespace ddlbench::comm::nccl
