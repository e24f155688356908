#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/error.h"

namespace ddlbench::bench {

/// The medians of values of pairs, when a pair occurs several times or not at all. The values are sorted once; after
/// that, a median takes one pass over about half of them.
class PairMedian {
 public:
  struct Pair {
    double value = 0;
    std::uint32_t first = 0, second = 0;  ///< indices of what the pair consists of
  };

  explicit PairMedian(std::vector<Pair> pairs) : pairs_(std::move(pairs)) {
    std::sort(pairs_.begin(), pairs_.end(), [](const Pair& a, const Pair& b) { return a.value < b.value; });
  }

  /// Returns the median if each pair occurs times(first, second) times. `total`, at least 1, is the sum of these
  /// numbers. Of an even number of values, the mean of the two in the middle.
  double of(std::uint64_t total, const auto& times) const {
    require(total > 0, "a median needs values");
    std::uint64_t passed = 0;
    const Pair* lower = nullptr;
    for (const Pair& pair : pairs_) {
      passed += times(pair.first, pair.second);
      if (lower == nullptr && passed > (total - 1) / 2) lower = &pair;
      if (passed > total / 2) return (pair.value + lower->value) / 2;
    }
    throw ContractError("the pairs occur less often than stated");
  }

 private:
  std::vector<Pair> pairs_;
};

}  // namespace ddlbench::bench
