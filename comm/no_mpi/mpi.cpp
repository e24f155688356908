// Replaces comm/mpi in builds without an MPI library.

#include "comm/mpi/mpi.h"

#include "base/error.h"

namespace ddlbench::comm::mpi {

void launch(int, const WorldOptions&, const std::function<void(Communicator&)>&) {
  throw InputError(
      "this build has no transport mpi: it was configured without an MPI library, as sanitizer builds always are; "
      "install libmpich-dev and mpich (Debian), or set CMAKE_PREFIX_PATH to another MPI's prefix, and build again");
}

void launch_within(std::chrono::milliseconds, int ranks, const WorldOptions& options,
                   const std::function<void(Communicator&)>& body) {
  launch(ranks, options, body);
}

void give_up() {}

bool takes_device_memory() {
  return false;
}

}  // namespace ddlbench::comm::mpi
