#pragma once

#include <vector>

#include "strategies/passes/schedule.h"

namespace ddlbench::strategies {

/// Which stage of the model each step of a sharded graph belongs to, and which pipeline rank runs it.
struct StageMap {
  std::vector<int> stage_of_step;
  Pipeline pipeline;

  int stage_of(int step) const { return stage_of_step[static_cast<std::size_t>(step)]; }
  int rank_of(int step) const { return pipeline.rank_of(stage_of(step)); }
};

}  // namespace ddlbench::strategies
