#pragma once

#include <string>

#include "bench/case/progress.h"
#include "bench/config/experiment.h"
#include "bench/records/record.h"
#include "platform/available_memory.h"

namespace ddlbench::bench {

/// Compiles, checks, verifies, measures and trains one case in this process, over its transport.
/// Throws what a case can die of: OutOfMemory, BadData, NonFinite, Unsupported, CommunicationError, std::bad_alloc,
/// InputError. `trace_file` gets the Chrome trace of one measured step of every rank, if it can be written
/// (Measurement::trace_failure). Where the experiment wants certificates alone, the rest of the measurement is left as
/// it was made.
/// Over a transport whose ranks are processes each of them calls this, with the same case: the process of rank 0
/// tells `progress` and returns the measurement; the others tell nothing, and return an empty one. What a rank
/// dies of is thrown in all of them.
Measurement run_case(const Experiment& experiment, const Case& which, const std::string& trace_file,
                     Progress& progress);
/// The same, where `memory` tells what is available for the certificate.
Measurement run_case_within(const platform::MemoryProbe& memory, const Experiment& experiment, const Case& which,
                            const std::string& trace_file, Progress& progress);

}  // namespace ddlbench::bench
