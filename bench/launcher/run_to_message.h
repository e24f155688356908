#pragma once

#include <functional>

#include "bench/case/progress.h"
#include "bench/config/experiment.h"
#include "bench/launcher/messages.h"
#include "bench/launcher/worker_request.h"
#include "bench/records/record.h"

namespace ddlbench::bench {

using CaseRunner =
    std::function<Measurement(const Experiment&, const Case&, const std::string& trace_file, Progress& progress)>;

/// Runs a case and returns its final message: a Measurement, or a Failure for any exception.
Message run_to_message(const CaseRunner& run, const WorkerRequest& request, Progress& progress);

}  // namespace ddlbench::bench
