#include <mpi.h>
#ifdef DDLBENCH_MPI_EXT
#include <mpi-ext.h>
#endif

#include "comm/mpi/mpi.h"

namespace ddlbench::comm::mpi {

bool takes_device_memory() {
#if defined(DDLBENCH_MPI_ASKS_CUDA) || defined(DDLBENCH_MPI_EXT)
  return MPIX_Query_cuda_support() == 1;
#else
  return false;
#endif
}

}  // namespace ddlbench::comm::mpi
