#pragma once

#include <benchmark/benchmark.h>

namespace ddlbench::micro {

/// Runs what is registered as the command line asks. The exit status of main.
inline int run_registered(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

}  // namespace ddlbench::micro
