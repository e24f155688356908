#pragma once

#include <benchmark/benchmark.h>

namespace ddlbench::micro {

/// Runs the registered benchmarks that the command line selects. Returns the exit code of main.
inline int run_registered(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

}  // namespace ddlbench::micro
