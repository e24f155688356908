#include "strategies/shares.h"

#include <fmt/core.h>
#include <algorithm>
#include <numeric>

#include "graph/ops/batch_norm.h"

namespace ddlbench::strategies {

std::vector<std::int64_t> shares_of(const Task& task, const StrategySpec& spec) {
  const std::vector<std::int64_t>& speeds = spec.batch.speeds;
  if (speeds.empty()) return {};
  if (speeds.size() != static_cast<std::size_t>(spec.mesh.data_ranks()))
    throw Unsupported(fmt::format("speeds has {} numbers, but the mesh has {} data-parallel ranks; give one for each",
                                  speeds.size(), spec.mesh.data_ranks()));
  const std::int64_t samples = task.global_batch / spec.batch.microbatches;
  const std::int64_t group = graph::samples_per_statistic(task.model);
  std::vector<std::int64_t> shares = graph::part_sizes(samples, speeds, group);
  if (const auto idle = std::find(shares.begin(), shares.end(), 0); idle != shares.end()) {
    const auto rank = static_cast<std::size_t>(idle - shares.begin());
    throw Unsupported(fmt::format(
        "data-parallel rank {} would have none of the {} samples of a micro-batch{}, because its speed is {} of {}; "
        "use larger micro-batches, or train without this rank",
        rank, samples, group == 1 ? "" : fmt::format(" in groups of {}", group), speeds[rank],
        std::accumulate(speeds.begin(), speeds.end(), std::int64_t{0})));
  }
  if (std::count(shares.begin(), shares.end(), shares.front()) == spec.mesh.data_ranks()) return {};
  return shares;
}

std::int64_t common_parts(const std::vector<std::int64_t>& shares) {
  std::int64_t largest = 0, samples = 0;
  for (const std::int64_t share : shares) largest = std::gcd(largest, share), samples += share;
  return samples / largest;
}

}  // namespace ddlbench::strategies
