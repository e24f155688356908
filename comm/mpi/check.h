#pragma once

namespace ddlbench::comm::mpi {

/// Throws CommunicationError with MPI's own words unless `code` is MPI_SUCCESS. `call` is the function's name.
void check(int code, const char* call);

}  // namespace ddlbench::comm::mpi
