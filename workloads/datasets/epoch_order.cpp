#include <fmt/core.h>
#include <numeric>
#include <string>
#include <utility>

#include "graph/random.h"
#include "workloads/dataset.h"

namespace ddlbench::workloads {
namespace {

std::vector<SampleDraw> with_key(std::uint64_t key, const std::vector<std::int64_t>& indices) {
  std::vector<SampleDraw> draws;
  draws.reserve(indices.size());
  for (const std::int64_t index : indices) draws.push_back({index, key});
  return draws;
}

}  // namespace

std::vector<std::int64_t> epoch_order(std::uint64_t seed, std::int64_t epoch, std::int64_t size) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(size));
  std::iota(order.begin(), order.end(), std::int64_t{0});
  const std::uint64_t key = graph::random_key(seed, graph::Purpose::shuffle, "samples");
  // Fisher-Yates shuffle. The modulo of 64 bits is biased towards small values by at most size / 2^64.
  for (std::size_t i = order.size(); i > 1; --i) {
    const graph::Philox random = graph::philox(key, static_cast<std::uint64_t>(epoch), i);
    const std::uint64_t bits = (std::uint64_t{random.v[0]} << 32) | random.v[1];
    std::swap(order[i - 1], order[bits % i]);
  }
  return order;
}

std::vector<SampleDraw> epoch_draws(std::uint64_t seed, std::int64_t epoch, const std::vector<std::int64_t>& indices) {
  return with_key(graph::random_key(seed, graph::Purpose::augmentation, fmt::format("epoch {}", epoch)), indices);
}

std::vector<SampleDraw> plain_draws(const std::vector<std::int64_t>& indices) {
  return with_key(0, indices);
}

}  // namespace ddlbench::workloads
