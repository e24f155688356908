#pragma once

namespace ddlbench::comm::mpi {

/// Throws CommunicationError with MPI's error message unless `code` is MPI_SUCCESS. `call` is the name of the MPI
/// function.
void check(int code, const char* call);

}  // namespace ddlbench::comm::mpi
