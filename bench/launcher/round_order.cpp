#include "bench/launcher/round_order.h"

#include <algorithm>
#include <numeric>

#include "graph/random.h"

namespace ddlbench::bench {

std::vector<std::size_t> round_order(std::size_t count, int round, std::uint64_t seed) {
  const std::uint64_t key = graph::random_key(seed, graph::Purpose::shuffle, "round");
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = count; i > 1; --i) {  // Fisher & Yates
    const auto drawn = graph::philox(key, static_cast<std::uint64_t>(round), i).v[0];
    std::swap(order[i - 1], order[drawn % i]);
  }
  order.reserve(2 * count);
  for (std::size_t i = count; i > 0; --i) order.push_back(order[i - 1]);
  return order;
}

}  // namespace ddlbench::bench
