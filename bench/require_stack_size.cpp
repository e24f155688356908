#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>

// Linked into every program (bench/CMakeLists.txt).

namespace {

/// Ends the program if the stack limit is too small: libraries (cuDNN, MPI, generated code) would otherwise fail with a
/// segmentation fault somewhere. The limit also determines the stack size of threads.
[[gnu::constructor(102)]] void require_stack_size() {
  constexpr int infrastructure = 4;  // exit_code::infrastructure: its header is not available here
  constexpr rlim_t least = rlim_t{1} << 20;
  rlimit limit{};
  if (::getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= least) return;
  std::fprintf(
      stderr,
      "ddlbench: stacks are limited to %llu KiB here (ulimit -s), but at least %llu KiB are needed; ulimit -s 8192 "
      "raises the limit\n",
      static_cast<unsigned long long>(limit.rlim_cur >> 10), static_cast<unsigned long long>(least >> 10));
  std::_Exit(infrastructure);
}

}  // namespace
