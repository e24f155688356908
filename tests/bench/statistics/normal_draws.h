#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

#include "graph/random.h"

namespace ddlbench::test {

/// Independent standard normal numbers (Box & Muller 1958), the same in every run.
class NormalDraws {
 public:
  explicit NormalDraws(std::uint64_t seed) : seed_(seed) {}
  double next() {
    const graph::Philox bits = graph::philox(seed_, 0, count_++);
    const double u = (bits.v[0] + 0.5) / 4294967296.0, v = (bits.v[1] + 0.5) / 4294967296.0;
    return std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v);
  }

 private:
  std::uint64_t seed_;
  std::uint64_t count_ = 0;
};

}  // namespace ddlbench::test
