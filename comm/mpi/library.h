#pragma once

#include <string>

namespace ddlbench::comm::mpi {

/// The MPI library in a line, as it names itself ("MPICH Version: 4.0.2"); empty in a build without MPI. Starts
/// nothing.
std::string library_version();

}  // namespace ddlbench::comm::mpi
