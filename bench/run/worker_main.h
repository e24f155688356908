#pragma once

#include <functional>

#include "bench/case/case_runner.h"

namespace ddlbench::bench {

using CaseRunner =
    std::function<Measurement(const Experiment&, const Case&, const std::string& trace_file, Progress& progress)>;

/// The body of `ddlbench worker`, a case's own process: reads its request from standard input, runs it
/// (`run` is run_case, but for tests) and tells of it on worker_message_descriptor. Exceptions become
/// Failure messages. Returns the exit code: 0 after a Measurement, 1 after a Failure, 2 when it was not
/// started by a supervisor. Calls of Progress::alive are the heartbeats: there are no others.
int worker_main(const CaseRunner& run);

}  // namespace ddlbench::bench
