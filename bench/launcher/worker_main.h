#pragma once

#include "bench/launcher/run_to_message.h"

namespace ddlbench::bench {

/// The body of `ddlbench worker`, a process of a case: the only one, or that of a rank where an MPI launcher
/// started it. Rank 0 reads the request from standard input and gives it to the others; each runs it (`run` is
/// run_case, but for tests) and tells of it on standard output, which nothing else reaches from then on: what is
/// written there goes to standard error. Exceptions become Failure messages. Returns the exit code: 0 after a
/// Measurement, 1 after a Failure, 2 where no supervisor started it. Calls of Progress::alive are the
/// heartbeats: there are no others.
int worker_main(const CaseRunner& run);

}  // namespace ddlbench::bench
