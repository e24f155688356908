#include "strategies/passes/recompute.h"

namespace ddlbench::strategies {

std::vector<int> needed_again(const ShardedGraph& sharded, const std::vector<int>& stage_of_step, int stage) {
  const auto steps = static_cast<int>(sharded.steps.size());
  const auto forward = [&](int id) {
    return stage_of_step[static_cast<std::size_t>(id)] == stage &&
           sharded.steps[static_cast<std::size_t>(id)].phase == graph::Phase::forward;
  };
  std::vector<bool> needed(static_cast<std::size_t>(steps), false);
  for (int id = steps - 1; id >= 0; --id) {
    const bool backward = stage_of_step[static_cast<std::size_t>(id)] == stage && !forward(id);
    if (!backward && !needed[static_cast<std::size_t>(id)]) continue;
    for (const ValueId input : sharded.steps[static_cast<std::size_t>(id)].inputs) {
      const int producer = sharded.values[static_cast<std::size_t>(input)].producer;
      if (producer != graph::absent && forward(producer)) needed[static_cast<std::size_t>(producer)] = true;
    }
  }
  std::vector<int> result;
  for (int id = 0; id < steps; ++id)
    if (needed[static_cast<std::size_t>(id)]) result.push_back(id);
  return result;
}

}  // namespace ddlbench::strategies
