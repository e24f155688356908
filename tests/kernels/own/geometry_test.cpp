#include <cstdint>

#include "catch.h"
#include "kernels/own/divider.h"
#include "kernels/own/launch_geometry.h"

using namespace ddlbench::kernels;

namespace {

constexpr std::int64_t two_to_31 = std::int64_t{1} << 31;
constexpr std::int64_t largest_grid = two_to_31 - 1;

/// Returns the number of items of a grid-stride loop that a thread processes.
std::int64_t items_of_thread(std::int64_t items, std::int64_t threads, std::int64_t thread) {
  return thread < items ? (items - thread - 1) / threads + 1 : 0;
}

}  // namespace

TEST_CASE("a grid covers every item once, is never empty, and does not exceed a GPU's limit") {
  for (const int multiprocessors : {1, 2, 108, 132}) {
    for (const std::int64_t items :
         {std::int64_t{1}, std::int64_t{31}, std::int64_t{32}, std::int64_t{33}, std::int64_t{255}, std::int64_t{256},
          std::int64_t{257}, std::int64_t{1000003}, two_to_31 - 1, two_to_31, two_to_31 + 1, 5 * two_to_31 + 7}) {
      CAPTURE(multiprocessors, items);
      const Geometry g = geometry_of_items(items, multiprocessors);
      REQUIRE(g.blocks >= 1);
      CHECK(g.blocks <= largest_grid);
      CHECK(g.threads == block_threads);
      const std::int64_t threads = g.all_threads();
      CHECK(threads - items < block_threads);  // no block is idle
      // The first threads process one item more than the others; together, the threads process all items.
      const std::int64_t most = items_of_thread(items, threads, 0), with_most = items - (most - 1) * threads;
      CHECK(items_of_thread(items, threads, with_most - 1) == most);
      CHECK((with_most == threads || items_of_thread(items, threads, with_most) == most - 1));
      CHECK(g == geometry_of_blocks(quotient_up(items, block_threads), multiprocessors));

      const Geometry warps = geometry_of_warps(items, multiprocessors);
      CHECK(warps.blocks >= 1);
      CHECK(warps.blocks * warps_per_block - items < warps_per_block);
      CHECK((warps.blocks * warps_per_block >= items || warps.blocks == multiprocessors * blocks_per_multiprocessor));
    }
    CHECK(geometry_of_items(0, multiprocessors).blocks == 0);
    CHECK(geometry_of_blocks(0, multiprocessors).blocks == 0);
    CHECK(geometry_of_warps(0, multiprocessors).blocks == 0);
  }
}

TEST_CASE("a flat range is divided into whole vectors and then single elements") {
  CHECK(items_of(0, 4) == 0);
  CHECK(items_of(3, 4) == 3);
  CHECK(items_of(4, 4) == 1);
  CHECK(items_of(33, 4) == 9);
  CHECK(items_of(two_to_31, 4) == two_to_31 / 4);
  CHECK(items_of(two_to_31 + 3, 8) == two_to_31 / 8 + 3);
  CHECK(items_of(two_to_31 + 3, 1) == two_to_31 + 3);
}

TEST_CASE("long sums are split into runs, short ones are not") {
  CHECK(sum_runs(0, 10, 132) == 1);
  CHECK(sum_runs(16, 10, 132) == 1);
  CHECK(sum_runs(64, 0, 132) == 4);         // as if there were one column
  CHECK(sum_runs(8, 1 << 20, 132) == 1);    // there are enough threads
  CHECK(sum_runs(16384, 192, 132) == 704);  // 132 · 1024 threads
  CHECK(sum_runs(two_to_31, 1, 132) == 135168);
  CHECK(sum_runs(two_to_31, two_to_31, 132) == 1);
}

TEST_CASE("runs that blocks sum are as many as give each multiprocessor four blocks, but not short") {
  CHECK(block_runs(0, 1, 132) == 1);
  CHECK(block_runs(1 << 20, 1, 132) == 528);
  CHECK(block_runs(1 << 20, 8, 132) == 66);
  CHECK(block_runs(1 << 20, 1000, 132) == 1);
  CHECK(block_runs(17, 1, 132) == 2);
}

TEST_CASE("a divider's quotients and remainders equal those of the processor") {
  for (const std::int64_t divisor :
       {std::int64_t{1}, std::int64_t{2}, std::int64_t{3}, std::int64_t{7}, std::int64_t{10}, std::int64_t{641},
        std::int64_t{768}, std::int64_t{50257}, std::int64_t{65536}, two_to_31 - 1, two_to_31, two_to_31 + 1,
        2 * two_to_31 - 1, 2 * two_to_31, 3 * two_to_31 + 5}) {
    const own::Divider divider(divisor);
    CHECK(divider.divisor() == divisor);
    for (const std::int64_t near :
         {std::int64_t{0}, divisor, 2 * divisor, 1000 * divisor, two_to_31, 2 * two_to_31, std::int64_t{1} << 40}) {
      for (std::int64_t n = near > 2 ? near - 2 : 0; n < near + 3; ++n) {
        CAPTURE(divisor, n);
        CHECK(divider.quotient(n) == n / divisor);
        CHECK(divider.remainder(n) == n % divisor);
      }
    }
  }
}
