#include "strategies/passes/plan_stages.h"

#include <fmt/core.h>
#include <algorithm>
#include <limits>
#include <numeric>

#include "strategies/strategy.h"

namespace ddlbench::strategies {
namespace {

/// The best division of the first items among some ranks.
struct Best {
  double heaviest = std::numeric_limits<double>::infinity();
  int last_ranks = 0;     ///< of the last block
  std::size_t begin = 0;  ///< of the last block
};

}  // namespace

std::vector<int> divide_ranks(std::size_t items, int ranks, int microbatches, const ReplicatedLoad& load) {
  std::vector<std::vector<Best>> best(static_cast<std::size_t>(ranks) + 1, std::vector<Best>(items + 1));
  best[0][0].heaviest = 0;
  for (int all = 1; all <= ranks; ++all)
    for (int last = all; last > 0; --last) {  // of equal divisions, one with few stages
      if (microbatches % last != 0) continue;
      const std::vector<Best>& before = best[static_cast<std::size_t>(all - last)];
      for (std::size_t end = 1; end <= items; ++end)
        for (std::size_t begin = 0; begin < end; ++begin) {
          const double heaviest = std::max(before[begin].heaviest, load(last, begin, end));
          Best& found = best[static_cast<std::size_t>(all)][end];
          if (heaviest < found.heaviest) found = {heaviest, last, begin};
        }
    }

  std::vector<int> block_ranks;
  std::size_t end = items;
  for (int left = ranks; left > 0; left -= block_ranks.front()) {
    const Best& found = best[static_cast<std::size_t>(left)][end];
    if (found.last_ranks == 0) return {};
    block_ranks.insert(block_ranks.begin(), found.last_ranks);
    end = found.begin;
  }
  return block_ranks;
}

std::vector<int> plan_stages(const graph::Graph& training, Division division, int ranks,
                             const program::CostTable& costs) {
  const Layers layers = layers_of(training);
  division.stages = ranks;
  division.uses.assign(static_cast<std::size_t>(ranks), {1, 1});
  division.ranks_per_stage.resize(static_cast<std::size_t>(ranks));
  std::iota(division.ranks_per_stage.begin(), division.ranks_per_stage.end(), 1);
  const StageLoad of_stage = stage_load(training, layers, division, costs);
  const ReplicatedLoad load = [&of_stage](int of, std::size_t begin, std::size_t end) {
    return of_stage(of - 1, begin, end);
  };
  std::vector<int> found = divide_ranks(layers.count(), ranks, division.microbatches, load);
  if (found.empty())
    throw Unsupported(fmt::format(
        "the {} layers with weights of model '{}' do not divide among {} ranks in numbers that divide the {} "
        "micro-batches; set microbatches to a multiple of {}, or use fewer ranks",
        layers.count(), training.name, ranks, division.microbatches, ranks));
  return found;
}

}  // namespace ddlbench::strategies
