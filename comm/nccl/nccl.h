#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "comm/communicator.h"

namespace ddlbench::comm {

/// Whether this build has NCCL and the library can be used; otherwise the reason, in one line.
struct NcclState {
  bool usable = false;
  std::string why_not;
  std::string built;   ///< version of the headers: "2.28.9"
  std::string loaded;  ///< version of the library
};
NcclState nccl_state();

/// Creates a communicator for GPU buffers over NCCL, of all ranks of `control`. `control` (threads or processes, host
/// memory) distributes the unique IDs, also for the groups split from it, reports failures to peers, and must outlive
/// the result. Each rank has a GPU of its own, which is the current device, and names it by `gpu` ("host1 GPU-4f2c…",
/// the same text for the same GPU on every rank; empty: unknown). Operations run in `stream` (a cudaStream_t):
/// on_stream() is true.
///
/// No call blocks without a deadline: creation, split(), start(), wait() and watch() poll ncclCommGetAsyncError of all
/// groups, the stream and `control`. What takes longer than `timeout` throws a CommunicationError that names the
/// operation, and the rank if it is known: NCCL does not report which peer it waits for. check() also throws the
/// failures of `control`. start() returns only when NCCL has enqueued the whole operation. The first start of each kind
/// of operation may wait for the starts of the peers, because connections are made then. After one start of each
/// operation, a stream capture may contain them.
///
/// On a failure, including one of a peer, ncclCommAbort is called once for every group, and the failure is reported to
/// `control`. NCCL completes the abort only when captured graphs with the group's operations are destroyed, so
/// destructors wait for it only for a limited time. All ranks must destroy groups in the same order; a rank that leaves
/// by an exception waits for no peer.
///
/// The only algorithm is native. Its bytes are counted nominally: as in collectives/, and as for the ring where there
/// are several algorithms. Uneven parts become a group of one reduce or broadcast per part; exchanges and all-to-alls
/// become one group of sends and receives. A mismatch in the size of a message is not detected; it leads to a timeout.
///
/// Collective. Throws InputError with nccl_state().why_not if NCCL cannot be used, or if two ranks name the same GPU,
/// which NCCL does not support.
std::unique_ptr<Communicator> make_nccl(Communicator& control, void* stream, std::chrono::milliseconds timeout,
                                        const std::string& gpu);

}  // namespace ddlbench::comm
