#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "graph/random.h"

namespace ddlbench::test {

/// A random generator that draws the same numbers on every machine.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : key_(graph::random_key(seed, graph::Purpose::synthetic_data, "dice")) {}
  int below(int limit) { return static_cast<int>(graph::philox(key_, 0, next_++).v[0] % static_cast<unsigned>(limit)); }
  bool coin() { return below(2) == 0; }
  template <class T>
  T one_of(std::initializer_list<T> choices) {
    return *(choices.begin() + below(static_cast<int>(choices.size())));
  }
  template <class T>
  T one_of(const std::vector<T>& choices) {
    return choices[static_cast<std::size_t>(below(static_cast<int>(choices.size())))];
  }

 private:
  std::uint64_t key_;
  std::uint64_t next_ = 0;
};

}  // namespace ddlbench::test
