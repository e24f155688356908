#include <numeric>
#include <utility>

#include "graph/random.h"
#include "workloads/dataset.h"

namespace ddlbench::workloads {

std::vector<std::int64_t> epoch_order(std::uint64_t seed, std::int64_t epoch, std::int64_t size) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(size));
  std::iota(order.begin(), order.end(), std::int64_t{0});
  const std::uint64_t key = graph::random_key(seed, graph::Purpose::shuffle, "samples");
  // Fisher and Yates. The remainder of 64 bits prefers small values by size / 2^64 at most.
  for (std::size_t i = order.size(); i > 1; --i) {
    const graph::Philox random = graph::philox(key, static_cast<std::uint64_t>(epoch), i);
    const std::uint64_t bits = (std::uint64_t{random.v[0]} << 32) | random.v[1];
    std::swap(order[i - 1], order[bits % i]);
  }
  return order;
}

}  // namespace ddlbench::workloads
