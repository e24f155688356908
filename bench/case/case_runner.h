#pragma once

#include <string>

#include "bench/case/progress.h"
#include "bench/config/experiment.h"
#include "bench/records/record.h"
#include "platform/available_memory.h"

namespace ddlbench::bench {

/// Compiles, checks, verifies, measures and trains one case in this process, over the experiment's transport. Writes
/// the Chrome trace of one measured step of every rank to `trace_file`; if that fails, Measurement::trace_failure says
/// why. What the experiment leaves out (see CaseOnRank::run) keeps its defaults in the measurement.
/// Throws the errors that end a case: OutOfMemory, BadData, NonFinite, Interrupted, Unsupported, CommunicationError,
/// std::bad_alloc, InputError. Over a transport whose ranks are processes, each process calls this function with the
/// same case. The process of rank 0 reports to `progress` and returns the measurement; the others report nothing and
/// return an empty one. An error on one rank is thrown in all processes.
Measurement run_case(const Experiment& experiment, const Case& which, const std::string& trace_file,
                     Progress& progress);
/// Does the same; `memory` reports the host memory that is available for the certificate.
Measurement run_case_within(const platform::MemoryProbe& memory, const Experiment& experiment, const Case& which,
                            const std::string& trace_file, Progress& progress);

}  // namespace ddlbench::bench
