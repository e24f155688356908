#include "graph/tensor.h"

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "catch.h"

using namespace ddlbench::graph;

TEST_CASE("parts cover a range without gaps, and the first ones are longer") {
  for (int parts = 1; parts <= 7; ++parts)
    for (std::int64_t size : {0, 1, 5, 7, 64}) {
      std::int64_t at = 0;
      for (int i = 0; i < parts; ++i) {
        const Extent part = part_of(size, parts, i);
        CHECK(part.begin == at);
        CHECK(part.size() - size / parts == (i < size % parts ? 1 : 0));
        at = part.end;
      }
      CHECK(at == size);
    }
}

TEST_CASE("parts are multiples of their unit") {
  CHECK(part_of(256, 3, 0, 16) == Extent{0, 96});
  CHECK(part_of(256, 3, 1, 16) == Extent{96, 176});
  CHECK(part_of(256, 3, 2, 16) == Extent{176, 256});
  CHECK_THROWS_AS(part_of(10, 2, 0, 3), ddlbench::ContractError);
}

TEST_CASE("sizes in proportion to weights sum to the whole, are fair, and do not depend on the order") {
  std::uint64_t state = 1;
  const auto below = [&state](std::uint64_t limit) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return static_cast<std::int64_t>((state >> 33) % limit);
  };
  for (int round = 0; round < 2000; ++round) {
    const std::int64_t unit = 1 + below(3), units = below(200);
    std::vector<std::int64_t> weights(static_cast<std::size_t>(1 + below(6)));
    for (std::int64_t& weight : weights) weight = 1 + below(round % 2 == 0 ? 5 : 1 << 24);
    const std::vector<std::int64_t> sizes = part_sizes(units * unit, weights, unit);
    const std::int64_t total = std::accumulate(weights.begin(), weights.end(), std::int64_t{0});
    CHECK(std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0}) == units * unit);
    std::int64_t at = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      CHECK(part_of(units * unit, weights, static_cast<int>(i), unit) == Extent{at, at + sizes[i]});
      at += sizes[i];
      CHECK(sizes[i] % unit == 0);
      CHECK(sizes[i] / unit >= units * weights[i] / total);  // never less than the share rounded down
      for (std::size_t j = 0; j < sizes.size(); ++j) {
        if (weights[i] > weights[j]) CHECK(sizes[i] >= sizes[j]);
        // A unit from i to j does not make the largest ratio of both smaller.
        if (sizes[i] > 0) CHECK((sizes[j] / unit + 1) * weights[i] >= sizes[i] / unit * weights[j]);
      }
    }
    std::vector<std::int64_t> reversed(weights.rbegin(), weights.rend());
    std::vector<std::int64_t> of_reversed = part_sizes(units * unit, reversed, unit), sorted = sizes;
    std::sort(of_reversed.begin(), of_reversed.end());
    std::sort(sorted.begin(), sorted.end());
    CHECK(of_reversed == sorted);
  }
}

TEST_CASE("parts of equal weights are equal parts, and exact proportions stay exact") {
  for (const std::int64_t size : {0, 1, 5, 7, 64})
    for (const int parts : {1, 2, 3, 7})
      for (int i = 0; i < parts; ++i)
        CHECK(part_of(size, std::vector<std::int64_t>(static_cast<std::size_t>(parts), 3), i) ==
              part_of(size, parts, i));
  CHECK(part_sizes(16, {2, 1}) == std::vector<std::int64_t>{11, 5});
  CHECK(part_sizes(48, {32, 16}) == std::vector<std::int64_t>{32, 16});
  CHECK(part_sizes(std::int64_t{48} << 40, {32, 16}) ==
        std::vector<std::int64_t>{std::int64_t{32} << 40, std::int64_t{16} << 40});
  CHECK(part_sizes(8, {3, 1}, 4) == std::vector<std::int64_t>{8, 0});
  CHECK_THROWS_AS(part_sizes(8, {1, 0}), ddlbench::ContractError);
  CHECK_THROWS_AS(part_sizes(8, {1, 1}, 3), ddlbench::ContractError);
  CHECK_THROWS_AS(part_sizes(8, {std::int64_t{1} << 40, 1}), ddlbench::ContractError);
  CHECK_THROWS_AS(part_of(8, std::vector<std::int64_t>{2, 1}, 2), ddlbench::ContractError);
}

TEST_CASE("a tensor type has a text and a size in bytes") {
  const TensorType type{{64, 1, 28, 28}, DType::f32};
  CHECK(to_string(type) == "f32[64x1x28x28]");
  CHECK(bytes(type) == 64u * 28 * 28 * 4);
}
