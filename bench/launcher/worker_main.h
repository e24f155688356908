#pragma once

#include "bench/launcher/run_to_message.h"

namespace ddlbench::bench {

/// The body of `ddlbench worker`: the only process of a case, or the process of one rank where an MPI launcher started
/// it. Rank 0 reads the request from standard input and broadcasts it. Each process runs it (`run` is run_case, except
/// in tests) and sends messages on the original standard output; everything else that is written to standard output
/// from then on goes to standard error. Exceptions become Failure messages. Calls of Progress::alive are the only
/// heartbeats. Returns the exit code: 0 after a Measurement, 1 after a Failure, 2 if no supervisor started it.
int worker_main(const CaseRunner& run);

}  // namespace ddlbench::bench
