#include "bench/statistics/letters.h"

#include <cmath>

#include "catch.h"

using namespace ddlbench::bench;

TEST_CASE("two items share a letter exactly if they do not differ") {
  const auto by_distance = [](const std::vector<double>& at) {
    return letter_groups(at.size(), [&](std::size_t a, std::size_t b) { return std::abs(at[a] - at[b]) > 1; });
  };
  CHECK(by_distance({}).empty());
  CHECK(by_distance({0, 0.5, 1}) == std::vector<std::string>{"a", "a", "a"});
  CHECK(by_distance({0, 5, 10}) == std::vector<std::string>{"a", "b", "c"});
  CHECK(by_distance({0, 0.8, 1.6, 5}) == std::vector<std::string>{"a", "ab", "b", "c"});
}

TEST_CASE("groups need not be neighbours") {
  // Only 0 and 1 differ, and 2 differs from 3.
  const auto letters = letter_groups(4, [](std::size_t a, std::size_t b) {
    return (a == 0 && b == 1) || (a == 1 && b == 0) || (a == 2 && b == 3) || (a == 3 && b == 2);
  });
  const auto share = [&](std::size_t a, std::size_t b) {
    return letters[a].find_first_of(letters[b]) != std::string::npos;
  };
  CHECK_FALSE(share(0, 1));
  CHECK_FALSE(share(2, 3));
  for (const std::size_t a : {0, 1}) {
    for (const std::size_t b : {2, 3}) CHECK(share(a, b));
  }
}
