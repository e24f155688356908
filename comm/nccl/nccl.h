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
/// brings the unique ids, of the groups split from it as well, tells peers of a failure, and outlives the result. Each
/// rank has a GPU of its own, already current, and names it by `gpu` ("host1 GPU-4f2c…", the same words for the
/// same GPU on every rank; empty: not known). Operations run in `stream` (a cudaStream_t): on_stream() is true.
///
/// No call blocks without a deadline: creation, groups, start(), wait() and watch() poll ncclCommGetAsyncError of all
/// groups, the stream and `control`; what takes longer than `timeout` is a CommunicationError that names the operation,
/// and the rank where it is known: NCCL does not tell which peer it waits for. check() also throws what `control`
/// would. start() returns only when NCCL has put all of it in the stream. The first of its kind may wait there for the
/// peers' starts: connections are made. After one start of each, a stream capture may hold them.
///
/// On failure, of a peer as well, ncclCommAbort is begun once on every group, and `control` is told. NCCL ends it only
/// when recordings with its operations are gone, so destructors wait for it a while, and then leave it. All ranks
/// destroy groups in one order; who leaves by an exception waits for no peer.
///
/// Algorithms: native alone. Its counts are nominal: those of collectives/, the ring's where there are several.
/// Parts of uneven size go as a group of one reduce, or one broadcast, for each; exchanges and all-to-alls as
/// one group of sends and receives. Ends that disagree on the size of a message are not noticed: the deadline is.
///
/// Collective. Throws InputError with nccl_state().why_not, or where two ranks name one GPU, which NCCL refuses.
std::unique_ptr<Communicator> make_nccl(Communicator& control, void* stream, std::chrono::milliseconds timeout,
                                        const std::string& gpu);

}  // namespace ddlbench::comm
