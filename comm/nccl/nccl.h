#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "comm/communicator.h"

namespace ddlbench::comm {

/// Whether this build has NCCL and the library can be used; why not, in a line.
struct NcclState {
  bool usable = false;
  std::string why_not;
  std::string built;   ///< "2.28.9": the headers
  std::string loaded;  ///< the library
};
NcclState nccl_state();

/// All ranks of `control` as a communicator of GPU buffers over NCCL. `control` (threads or processes, host memory)
/// brings the unique id and outlives the result; each rank has a GPU of its own, already current. Operations run in
/// `stream` (a cudaStream_t): on_stream() is true, and start() returns only when NCCL has put all of it there. No call
/// blocks without a deadline: creation, groups and watch() poll ncclCommGetAsyncError of all groups and the stream;
/// what takes longer than `timeout` is a CommunicationError that names rank and operation. check() also throws what
/// `control` would. On failure abort() and watch() begin ncclCommAbort on every group and tell `control`; NCCL ends it
/// only when recordings with its operations are gone, so destructors poll it for a while, and then leave it.
/// Collective. Throws InputError with nccl_state().why_not.
///
/// Algorithms: native alone. Its counts are nominal: the ring's. Exchanges are one group of sends and receives.
std::unique_ptr<Communicator> make_nccl(Communicator& control, void* stream, std::chrono::milliseconds timeout);

}  // namespace ddlbench::comm
