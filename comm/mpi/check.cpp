#include "comm/mpi/check.h"

#include <mpi.h>

#include <string>

#include "comm/communicator.h"

namespace ddlbench::comm::mpi {

void check(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  if (MPI_Error_string(code, text, &length) != MPI_SUCCESS) length = 0;
  throw CommunicationError(CommunicationError::Kind::aborted, -1, call,
                           "MPI error: " + std::string(text, static_cast<std::size_t>(length)));
}

}  // namespace ddlbench::comm::mpi
