#pragma once

#include <string>

#include "bench/config/experiment.h"

namespace ddlbench::bench {

/// All that a worker is told, as JSON on its standard input: the resolved configuration, which it reads as it was read
/// here; what is derived and no setting, but for `data_identity`, which contracts alone want; and the case, whose
/// strategy is named by where it stands.
struct WorkerRequest {
  Experiment experiment;
  Case which;
  std::string trace_file;
};

std::string encode(const WorkerRequest& request);
/// By the registries of this build. Throws ContractError for a text that is not a request.
WorkerRequest decode_request(const std::string& text);

}  // namespace ddlbench::bench
