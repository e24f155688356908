#pragma once

#include <cstdint>
#include <memory>

#include "comm/communicator.h"
#include "comm/staged/host_copy.h"

namespace ddlbench::comm {

/// Creates a communicator for buffers that the host cannot access, over one that requires buffers on the host. Data to
/// send is copied to pinned memory, and received data is copied back. Transport, algorithms, byte counts and errors are
/// those of `host`.
///
/// start() starts the copy out of the device, if there is one, and records an event in the outgoing queue. Until that
/// event is complete, the operation neither reads nor writes its buffers. The rest proceeds while the owner calls
/// complete(), wait() or check(), for all operations of the rank and of the groups split from it. Collectives and
/// exchanges begin on the host in the order of their start(), whichever copy is done first, so that the order is the
/// same on all ranks. There is no helper thread, and start() does not wait for the device. times() span start() to the
/// end of the copy in. A timeout runs from the owner's first query of an operation that has begun on the host; copies
/// have no timeout.
///
/// Each operation owns its pinned memory, and the host operation its own scratch: the workspace of a call is not used,
/// and workspace_bytes() is 0. The destructor of an operation waits for its copies.
///
/// `host` and `copy` must outlive the communicator, its groups and its operations.
std::unique_ptr<Communicator> make_staged(Communicator& host, HostCopy& copy);

/// Returns the pinned memory that the operations of all groups of the rank hold at present, in bytes.
std::int64_t staging_bytes(const Communicator& staged);

}  // namespace ddlbench::comm
