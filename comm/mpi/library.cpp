#include "comm/mpi/library.h"

#include <mpi.h>

#include <array>

namespace ddlbench::comm::mpi {

std::string library_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  if (MPI_Get_library_version(text.data(), &length) != MPI_SUCCESS) return "unknown";
  std::string line;
  for (const char c : std::string(text.data(), static_cast<std::size_t>(length))) {
    if (c == '\n') break;
    const bool blank = c == ' ' || c == '\t';
    if (!blank) line += c;
    if (blank && !line.empty() && line.back() != ' ') line += ' ';
  }
  return line;
}

}  // namespace ddlbench::comm::mpi
