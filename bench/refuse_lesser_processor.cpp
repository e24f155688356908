#include <cstdio>
#include <cstdlib>

#include "bench/x86_64_level.h"

// A part of each program (bench/CMakeLists.txt): the command, the tools beside it and the micro-benchmarks.

namespace {

/// A build of one machine may be started on a lesser one: that would end in an unknown instruction somewhere. Before
/// all that is initialised on its own.
[[gnu::constructor(101)]] void refuse_lesser_processor() {
  constexpr int infrastructure = 4;  // exit_code::infrastructure: the headers of a program's rooms are not here
  const int level = ddlbench::x86_64_level();
  if (level >= DDLBENCH_CPU_LEVEL) return;
  std::fprintf(
      stderr,
      "ddlbench: this build is for processors of level %d of x86-64, and this machine's is of level %d; build it "
      "here, or with -DDDLBENCH_X86_64_LEVEL=%d\n",
      DDLBENCH_CPU_LEVEL, level, level);
  std::_Exit(infrastructure);
}

}  // namespace
