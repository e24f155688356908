// Stands in for comm/mpi/library.cpp where no MPI library was found.

#include "comm/mpi/library.h"

namespace ddlbench::comm::mpi {

std::string library_version() {
  return "";
}

}  // namespace ddlbench::comm::mpi
