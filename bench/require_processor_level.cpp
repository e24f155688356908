#include <cstdio>
#include <cstdlib>

#include "bench/x86_64_level.h"

// Linked into every program (bench/CMakeLists.txt): the command, the tools and the micro-benchmarks.

namespace {

/// Ends the program if this processor is below the level that the build needs: it would otherwise fail with an illegal
/// instruction somewhere. Runs before all other static initialisation.
[[gnu::constructor(101)]] void require_processor_level() {
  constexpr int infrastructure = 4;  // exit_code::infrastructure: its header is not available here
  const int level = ddlbench::x86_64_level();
  if (level >= DDLBENCH_CPU_LEVEL) return;
  std::fprintf(
      stderr,
      "ddlbench: this build needs a processor of x86-64 level %d, and this machine's has level %d; build ddlbench "
      "here, or with -DDDLBENCH_X86_64_LEVEL=%d\n",
      DDLBENCH_CPU_LEVEL, level, level);
  std::_Exit(infrastructure);
}

}  // namespace
