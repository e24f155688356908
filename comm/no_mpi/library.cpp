// Replaces comm/mpi/library.cpp in builds without an MPI library.

#include "comm/mpi/library.h"

namespace ddlbench::comm::mpi {

std::string library_version() {
  return "";
}

}  // namespace ddlbench::comm::mpi
