#include <fcntl.h>

#include <iostream>

#include "bench/command/main_command.h"

namespace {

/// A file that is opened later must not take the number of a closed standard stream, or what is printed
/// there would be written into it.
void open_standard_streams() {
  for (int descriptor = 0; descriptor <= 2; ++descriptor) {
    if (::fcntl(descriptor, F_GETFD) < 0) ::open("/dev/null", O_RDWR);
  }
}

}  // namespace

int main(int argc, char* argv[]) {
  open_standard_streams();
  return ddlbench::bench::main_command(argc, argv, std::cout, std::cerr);
}
