#pragma once

#include <string>

namespace ddlbench::comm::mpi {

/// Returns the name of the MPI library in one line ("MPICH Version: 4.0.2"); empty in a build without MPI. Does not
/// initialise MPI.
std::string library_version();

}  // namespace ddlbench::comm::mpi
