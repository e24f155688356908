#pragma once

#include "comm/communicator.h"

namespace ddlbench::comm::mpi {

// Ranks are processes that an MPI launcher started (mpiexec, srun); this process is one of them.
//
// MPI is initialised by the first launch. At the process's end it is finalised when all of the job's processes
// have come there, which they wait for politely. After a failure that some rank did not survive, or did not
// notice in time, the job cannot go on: it is ended by MPI_Abort instead, by rank 0 as soon as it ends, by
// others after a while in which rank 0 may still report.

/// As Transport::launch, called by every process of the job, and as often, with the same arguments: runs `body`
/// once, as this process's rank of MPI_COMM_WORLD. Processes beyond `ranks` return at once. Throws InputError
/// naming both numbers where there are fewer processes. Where another rank fails, this one throws
/// CommunicationError{lost_rank}, unless its body threw something itself.
///
/// Before the body begins all ranks are waited for, as long as they give signs of life, which they do whatever
/// they compute or load: one that gives none for the time-out is lost. `launch_within` gives them no longer than
/// `time_to_come`.
void launch(int ranks, const WorldOptions& options, const std::function<void(Communicator&)>& body);
void launch_within(std::chrono::milliseconds time_to_come, int ranks, const WorldOptions& options,
                   const std::function<void(Communicator&)>& body);

/// Processes are left behind that this one goes on without: when it ends it ends the job.
void give_up();

/// Whether the MPI library, as it runs here, says that it takes buffers of GPUs (CUDA-aware): asked of it, once a
/// launch has begun. A case's log tells it; ddlbench's own algorithms reduce on the host and read what they send there,
/// so that buffers of GPUs are staged over mpi in any case.
bool takes_device_memory();

}  // namespace ddlbench::comm::mpi
