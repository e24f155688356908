#pragma once

#include <vector>

#include "strategies/passes/schedule.h"

namespace ddlbench::strategies {

/// How a schedule uses a stage, if each pass takes as long on all stages.
struct StageUse {
  int held = 0;         ///< the most micro-batches whose activations a rank of it keeps at once
  double repeated = 0;  ///< share of its backward passes that do not directly follow their own forward pass
};

/// Returns the use of each stage of one copy of the model. Throws ContractError where the schedule waits for itself.
std::vector<StageUse> stage_uses(Pipeline pipeline, const Schedule& schedule);

}  // namespace ddlbench::strategies
