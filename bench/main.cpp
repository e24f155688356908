#include <iostream>

#include "bench/command/main_command.h"

int main(int argc, char* argv[]) {
  return ddlbench::bench::main_command(argc, argv, std::cout, std::cerr);
}
