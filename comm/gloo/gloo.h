#pragma once

#include "comm/communicator.h"

namespace ddlbench::comm::gloo {

// Messages over TCP by gloo, the library with which PyTorch communicates between processors. ddlbench starts the ranks,
// as processes on one machine; an MPI is not needed.

/// Environment variable of a rank's process: a folder, empty at first, through which the processes of the job find each
/// other. process_place() has the others.
inline constexpr const char* rendezvous_variable = "DDLBENCH_RENDEZVOUS";

/// Returns whether this build has the library.
bool available();
/// Throws InputError, with the remedy, if it has not.
void require_available();

/// Does what Transport::launch says. All processes of the job call it equally often and with the same arguments;
/// processes beyond `ranks` return at once. The first call connects the processes. After a failure, no further launch
/// succeeds. Throws InputError if ddlbench has not started this process for it, or too few.
///
/// Before `body` begins, all ranks are waited for as long as they answer pings, which they always do unless they are
/// stopped. If another rank fails, throws CommunicationError{lost_rank}, unless this rank's body threw an exception
/// itself.
void launch(int ranks, const WorldOptions& options, const std::function<void(Communicator&)>& body);

/// Does the same with ranks that are threads of this process, each with connections of its own: for tests and
/// comparisons.
void launch_in_threads(int ranks, const WorldOptions& options, const std::function<void(Communicator&)>& body);

}  // namespace ddlbench::comm::gloo
