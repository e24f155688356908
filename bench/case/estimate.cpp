#include "bench/case/estimate.h"

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "graph/random.h"

namespace ddlbench::bench {
namespace {

constexpr std::size_t resamples = 1000;
constexpr std::size_t fewest_resamples = 100;
constexpr std::size_t most_draws = 20'000'000;  ///< takes about a second

double middle_mean(std::vector<double>& values) {
  std::sort(values.begin(), values.end());
  const auto cut = static_cast<std::ptrdiff_t>(values.size() / 4);
  return std::accumulate(values.begin() + cut, values.end() - cut, 0.0) /
         static_cast<double>(static_cast<std::ptrdiff_t>(values.size()) - 2 * cut);
}

}  // namespace

Estimate interquartile_mean(const std::vector<double>& values, std::uint64_t seed) {
  require(!values.empty(), "nothing was measured");
  Estimate estimate;
  const std::size_t cut = values.size() / 4;
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  estimate.used.assign(order.begin() + static_cast<std::ptrdiff_t>(cut),
                       order.end() - static_cast<std::ptrdiff_t>(cut));
  for (const std::size_t i : estimate.used) estimate.value += values[i] / static_cast<double>(estimate.used.size());

  const std::uint64_t key = graph::random_key(seed, graph::Purpose::shuffle, "bootstrap");
  const std::size_t count = std::clamp(most_draws / values.size(), fewest_resamples, resamples);
  std::vector<double> means(count);
  std::vector<double> drawn(values.size());
  for (std::size_t r = 0; r < count; ++r) {
    for (std::size_t i = 0; i < drawn.size(); ++i) drawn[i] = values[graph::philox(key, r, i).v[0] % values.size()];
    means[r] = middle_mean(drawn);
  }
  std::sort(means.begin(), means.end());
  estimate.low = std::min(means[count / 40], estimate.value);
  estimate.high = std::max(means[count - 1 - count / 40], estimate.value);
  return estimate;
}

}  // namespace ddlbench::bench
