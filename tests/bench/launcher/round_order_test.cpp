#include "bench/launcher/round_order.h"

#include <algorithm>
#include <set>

#include "catch.h"

using namespace ddlbench::bench;

TEST_CASE("a round is a permutation and its mirror image") {
  for (int round = 1; round < 20; ++round) {
    std::vector<std::size_t> order = round_order(5, round, 7);
    REQUIRE(order.size() == 10);
    CHECK(std::equal(order.begin(), order.end(), order.rbegin()));
    order.resize(5);
    CHECK(std::set<std::size_t>(order.begin(), order.end()).size() == 5);
  }
}

TEST_CASE("seed and round determine the order, and each item comes first sometimes") {
  CHECK(round_order(6, 3, 1) == round_order(6, 3, 1));
  std::set<std::size_t> first;
  std::set<std::vector<std::size_t>> orders;
  for (int round = 1; round <= 60; ++round) {
    first.insert(round_order(4, round, 1).front());
    orders.insert(round_order(4, round, 1));
  }
  CHECK(first.size() == 4);
  CHECK(orders.size() > 12);  // of 24
  CHECK(round_order(4, 1, 1) != round_order(4, 1, 5));
}
