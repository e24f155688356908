#pragma once

#include <string>

#include "bench/config/experiment.h"

namespace ddlbench::bench {

/// A worker's input, sent as JSON on its standard input: the resolved configuration, which the worker parses as the
/// supervisor did; derived values, which are not settings, except `data_identity`, which only contracts need; and the
/// case, whose strategy is identified by its index.
struct WorkerRequest {
  Experiment experiment;
  Case which;
  std::string trace_file;
};

std::string encode(const WorkerRequest& request);
/// Decodes a request with the registries of this build. Throws ContractError if `text` is not a request.
WorkerRequest decode_request(const std::string& text);

}  // namespace ddlbench::bench
