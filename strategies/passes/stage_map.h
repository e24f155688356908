#pragma once

#include <vector>

namespace ddlbench::strategies {

/// Which stage of the model each step of a sharded graph belongs to, and which pipeline rank runs it: stages are
/// assigned to ranks round-robin.
struct StageMap {
  std::vector<int> stage_of_step;
  int ranks = 1;

  int stage_of(int step) const { return stage_of_step[static_cast<std::size_t>(step)]; }
  int rank_of(int step) const { return stage_of(step) % ranks; }
};

}  // namespace ddlbench::strategies
