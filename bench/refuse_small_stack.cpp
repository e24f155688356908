#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>

// A part of each program (bench/CMakeLists.txt).

namespace {

/// Libraries (cuDNN, MPI, generated code) take what they want of a stack; on a smaller one there is a segmentation
/// fault somewhere. Threads get as much as the limit says, too.
[[gnu::constructor(102)]] void refuse_small_stack() {
  constexpr int infrastructure = 4;  // exit_code::infrastructure: the headers of a program's rooms are not here
  constexpr rlim_t least = rlim_t{1} << 20;
  rlimit limit{};
  if (::getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= least) return;
  std::fprintf(
      stderr,
      "ddlbench: stacks are limited to %llu KiB here (ulimit -s), and at least %llu KiB are needed; ulimit -s 8192 "
      "raises the limit\n",
      static_cast<unsigned long long>(limit.rlim_cur >> 10), static_cast<unsigned long long>(least >> 10));
  std::_Exit(infrastructure);
}

}  // namespace
