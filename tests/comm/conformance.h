#pragma once

// Helpers that the tests of all transports share.

#include <algorithm>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "catch.h"
#include "graph/tensor.h"
#include "support.h"

namespace ddlbench::comm::testing {

using Counts = std::vector<std::int64_t>;
using Body = std::function<void(Communicator&)>;

/// Runs `body` on 1 to `most` ranks of every transport, and on 3 ranks also over a throttled link.
inline void on_all(int most, const Body& body) {
  for (const Transport& transport : startable_transports()) {
    for (const int ranks : rank_counts(transport, most)) {
      INFO(transport.name << ", " << ranks << " ranks");
      REQUIRE_NOTHROW(transport.launch(ranks, {std::chrono::seconds(30)}, body));
      if (ranks != 3) continue;
      INFO("throttled");
      REQUIRE_NOTHROW(transport.launch(ranks, {std::chrono::seconds(30), {2e-6, 4e9}}, body));
    }
  }
}

inline std::int64_t total(const Counts& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
}
inline std::int64_t before(const Counts& counts, int index) {
  return std::accumulate(counts.begin(), counts.begin() + index, std::int64_t{0});
}
inline std::int64_t element_bytes(graph::DType dtype) {
  return static_cast<std::int64_t>(graph::size_of(dtype));
}
inline std::size_t index_of(int rank) {
  return static_cast<std::size_t>(rank);
}

inline void fill(Elements& elements, int rank, std::int64_t first = 0) {
  for (std::int64_t i = 0; i < elements.count(); ++i) elements.set(i, sample(rank, first + i));
}

inline std::int64_t sent(const Communicator& communicator, const std::string& name) {
  const SentBytes bytes = communicator.sent_bytes();
  const auto found = bytes.find(name);
  return found == bytes.end() ? 0 : found->second;
}

/// Returns even counts, uneven counts, a single nonzero count, and all zeros.
inline std::vector<Counts> count_lists(int size) {
  Counts even, ramp, one(index_of(size), 0);
  for (int i = 0; i < size; ++i) {
    even.push_back(graph::part_of(1000, size, i).size());
    ramp.push_back(i % 3 * 50);
  }
  one[index_of(size / 2)] = 333;
  return {even, ramp, one, Counts(index_of(size), 0)};
}

}  // namespace ddlbench::comm::testing
