#pragma once

#include "comm/communicator.h"

namespace ddlbench::comm::mpi {

// Ranks are processes that an MPI launcher started (mpiexec, srun). This process is one of them.
//
// The first launch initialises MPI. When a process exits, it waits without busy polling until all processes of the job
// exit, and then finalises MPI. If some rank did not survive a failure, or did not notice it in time, the job cannot go
// on and MPI_Abort ends it: rank 0 calls it as soon as it exits, other ranks after a delay that lets rank 0 report the
// failure.

/// Does what Transport::launch says. All processes of the job call it equally often and with the same arguments. Runs
/// `body` once, as this process's rank of MPI_COMM_WORLD; processes beyond `ranks` return at once. Throws InputError
/// with both numbers if there are fewer processes than ranks. If another rank fails, throws
/// CommunicationError{lost_rank}, unless this rank's body threw an exception itself.
///
/// Before `body` begins, all ranks are waited for as long as they answer pings, which they do while they compute or
/// load data. A rank that does not answer within the timeout is lost. `launch_within` waits for `arrival_timeout` at
/// most.
void launch(int ranks, const WorldOptions& options, const std::function<void(Communicator&)>& body);
void launch_within(std::chrono::milliseconds arrival_timeout, int ranks, const WorldOptions& options,
                   const std::function<void(Communicator&)>& body);

/// Declares that this process goes on without some others, which are stuck or lost. It ends the whole job when it
/// exits.
void give_up();

/// Returns whether the MPI library, as it runs here, reports that it accepts GPU buffers (CUDA-aware MPI). Valid once a
/// launch has begun. The log of a case contains the answer, which changes nothing: ddlbench's own algorithms send from
/// the host and reduce there, so GPU buffers are staged over mpi in any case.
bool takes_device_memory();

}  // namespace ddlbench::comm::mpi
