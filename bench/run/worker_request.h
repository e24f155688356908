#pragma once

#include <string>

#include "bench/config/experiment.h"

namespace ddlbench::bench {

/// All that a worker is told, as JSON on its standard input.
struct WorkerRequest {
  Experiment experiment;
  Case which;
  std::string trace_file;
};

std::string encode(const WorkerRequest& request);
/// Throws ContractError for a text that is not a request.
WorkerRequest decode_request(const std::string& text);

}  // namespace ddlbench::bench
