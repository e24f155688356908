#pragma once

#include <cstdint>
#include <memory>

#include "comm/communicator.h"
#include "comm/staged/host_copy.h"

namespace ddlbench::comm {

/// A communicator for buffers that the host cannot reach, over one that wants them on the host: what is sent is
/// copied to pinned memory, what has come is copied back. Transport, algorithms, counted bytes and errors are `host`'s.
///
/// An operation's start() begins its copy out, if any, and marks the way out: before that mark is complete its buffers
/// are not yet its own, to read or to write. The rest goes on while its owner asks complete(), waits or calls check(),
/// for all operations of the rank and of the groups split from it: collectives and exchanges begin on the host in the
/// order of their start() whatever copy is done first, so that all ranks keep one order. No helper thread, and no wait
/// for the device in start(). times() are from start() to the end of the copy in; a time-out runs from when the owner
/// asks about an operation that has begun on the host, and none over copies.
///
/// An operation owns its pinned memory, and the host's operation its own scratch: a workspace in a call is not used,
/// and workspace_bytes() is 0. Destroying an operation settles its copies.
///
/// `host` and `copy` outlive it, its groups and its operations.
std::unique_ptr<Communicator> make_staged(Communicator& host, HostCopy& copy);

/// Pinned memory that its operations hold at present, those of all groups of the rank.
std::int64_t staging_bytes(const Communicator& staged);

}  // namespace ddlbench::comm
