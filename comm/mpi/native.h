#pragma once

#include <memory>

#include "comm/communicator.h"
#include "comm/counters.h"
#include "comm/mpi/world.h"
#include "comm/task.h"

namespace ddlbench::comm::mpi {

// MPI's own nonblocking collectives. What they send is unknown, so the bytes that the ring would send are counted. MPI
// allocates what it needs. The functions throw InputError for more elements than an MPI count can hold (2³¹ − 1).

std::unique_ptr<Task> native_all_reduce(const GroupPtr& group, SentCounters& sent, const Reduce& call);
std::unique_ptr<Task> native_reduce_scatter(const GroupPtr& group, SentCounters& sent, const Parts& call);
std::unique_ptr<Task> native_all_gather(const GroupPtr& group, SentCounters& sent, const Parts& call);

}  // namespace ddlbench::comm::mpi
