#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace ddlbench::bench {

/// The medians of values that belong to pairs, when pairs occur several times or not at all. The values are sorted
/// once; after that, a median takes one pass over half of them.
class PairMedian {
 public:
  struct Pair {
    double value = 0;
    std::size_t first = 0, second = 0;  ///< indices of what the pair consists of
  };

  explicit PairMedian(std::vector<Pair> pairs) : pairs_(std::move(pairs)) {
    std::sort(pairs_.begin(), pairs_.end(), [](const Pair& a, const Pair& b) { return a.value < b.value; });
  }

  /// Returns the median if each pair occurs times(first, second) times and all pairs `total` times, which is not 0. Of
  /// an even number of values, the mean of the two in the middle.
  double of(std::uint64_t total, const auto& times) const {
    std::uint64_t passed = 0;
    const Pair* lower = nullptr;
    for (const Pair& pair : pairs_) {
      passed += times(pair.first, pair.second);
      if (lower == nullptr && passed > (total - 1) / 2) lower = &pair;
      if (passed > total / 2) return (pair.value + lower->value) / 2;
    }
    return pairs_.back().value;
  }

 private:
  std::vector<Pair> pairs_;
};

}  // namespace ddlbench::bench
