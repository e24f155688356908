#include "strategies/passes/stage_ranks.h"

#include <fmt/core.h>
#include <algorithm>
#include <limits>
#include <utility>

#include "strategies/strategy.h"

namespace ddlbench::strategies {
namespace {

/// The best division of the first items among some ranks.
struct Best {
  std::pair<double, int> value{std::numeric_limits<double>::infinity(), 0};  ///< heaviest load, number of blocks
  int last_ranks = 0;                                                        ///< of the last block
  std::size_t begin = 0;                                                     ///< of the last block
};

}  // namespace

std::vector<int> divide_ranks(std::size_t items, int ranks, int microbatches, const StageLoad& load) {
  std::vector<std::vector<Best>> best(static_cast<std::size_t>(ranks) + 1, std::vector<Best>(items + 1));
  best[0][0].value.first = 0;
  for (int all = 1; all <= ranks; ++all)
    for (int own = 1; own <= all; ++own) {
      if (microbatches % own != 0) continue;
      const std::vector<Best>& before = best[static_cast<std::size_t>(all - own)];
      for (std::size_t end = 1; end <= items; ++end)
        for (std::size_t begin = 0; begin < end; ++begin) {
          const auto [heaviest, blocks] = before[begin].value;
          const std::pair value{std::max(heaviest, load(own - 1, begin, end)), blocks + 1};
          Best& found = best[static_cast<std::size_t>(all)][end];
          if (value < found.value) found = {value, own, begin};
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

std::vector<int> plan_stage_ranks(const graph::Graph& training, Division division, int ranks,
                                  const program::CostTable& costs) {
  const Layers layers = layers_of(training);
  for (int count = 1; count <= ranks; ++count) division.stage_ranks.push_back(count);
  division.stages = ranks;
  division.uses.assign(static_cast<std::size_t>(ranks), {1, 1});
  std::vector<int> found =
      divide_ranks(layers.count(), ranks, division.microbatches, stage_load(training, layers, division, costs));
  if (found.empty())
    throw Unsupported(fmt::format(
        "{} ranks do not divide into stages of model '{}', which has {} layers with weights, where each number of "
        "ranks must divide the {} micro-batches; set microbatches to a multiple of {}, or use fewer ranks",
        ranks, training.name, layers.count(), division.microbatches, ranks));
  return found;
}

}  // namespace ddlbench::strategies
