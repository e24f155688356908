#include "bench/statistics/bootstrap.h"

#include <algorithm>

#include "graph/random.h"

namespace ddlbench::bench {

std::uint64_t bootstrap_key(std::uint64_t seed, const char* sample) {
  return graph::random_key(seed, graph::Purpose::shuffle, sample);
}

void draw(std::uint64_t key, std::size_t resample, std::vector<std::uint64_t>& times) {
  std::fill(times.begin(), times.end(), 0);
  for (std::size_t i = 0; i < times.size(); ++i) ++times[graph::philox(key, resample, i).v[0] % times.size()];
}

std::vector<double> resampled_estimates(std::size_t operations, const std::function<double(std::size_t)>& estimate) {
  constexpr std::size_t most = 2000, fewest = 200, most_operations = 20'000'000;
  std::vector<double> estimates(std::clamp(most_operations / operations, fewest, most));
  for (std::size_t resample = 0; resample < estimates.size(); ++resample) estimates[resample] = estimate(resample);
  std::sort(estimates.begin(), estimates.end());
  return estimates;
}

}  // namespace ddlbench::bench
