#pragma once

#include <algorithm>
#include <cstdint>

/// The numbers of blocks and threads of a launch. All counts are 64-bit, and kernels use grid-stride loops, so that no
/// size overflows the grid. Zero blocks mean that there is nothing to launch.
namespace ddlbench::kernels {

constexpr int warp_size = 32;
constexpr int block_threads = 256;
constexpr int warps_per_block = block_threads / warp_size;
constexpr int bytes_per_vector = 16;  ///< the widest load and store of one thread

/// The maximum number of blocks of a grid per multiprocessor: four waves of resident blocks (2048 threads per
/// multiprocessor), enough to balance the load at the end.
constexpr std::int64_t blocks_per_multiprocessor = 4 * 2048 / block_threads;

struct Geometry {
  std::int64_t blocks = 0;
  int threads = block_threads;
  std::int64_t all_threads() const { return blocks * threads; }
  bool operator==(const Geometry&) const = default;
};

constexpr std::int64_t quotient_up(std::int64_t a, std::int64_t b) {
  return a / b + (a % b != 0 ? 1 : 0);
}

/// Returns a grid with a block per team, up to the maximum.
constexpr Geometry geometry_of_blocks(std::int64_t teams, int multiprocessors) {
  return {std::min(teams, multiprocessors * blocks_per_multiprocessor), block_threads};
}

/// Returns a grid with a warp per team, up to the maximum. The last block may have idle warps.
constexpr Geometry geometry_of_warps(std::int64_t teams, int multiprocessors) {
  return geometry_of_blocks(quotient_up(teams, warps_per_block), multiprocessors);
}

/// Returns a grid with a thread per item, up to the maximum.
constexpr Geometry geometry_of_items(std::int64_t items, int multiprocessors) {
  return geometry_of_blocks(quotient_up(items, block_threads), multiprocessors);
}

/// Returns the number of items of a flat range of `size` elements: whole vectors of `width` elements first, then the
/// remaining elements one by one.
constexpr std::int64_t items_of(std::int64_t size, int width) {
  return size / width + size % width;
}

/// Returns the number of runs of `length` terms: enough that `wanted` workers are busy if `workers` of them sum each
/// run, but about 16 terms per run or more.
constexpr std::int64_t runs_of(std::int64_t length, std::int64_t workers, std::int64_t wanted) {
  constexpr std::int64_t shortest_run = 16;
  const std::int64_t most = std::max<std::int64_t>(quotient_up(length, shortest_run), 1);
  return std::clamp<std::int64_t>(quotient_up(wanted, std::max<std::int64_t>(workers, 1)), 1, most);
}

/// Returns the number of runs into which sums of `length` terms are split if `columns` threads sum in parallel: enough
/// that every multiprocessor has loads in flight, but with at least 16 terms per run, so that the sums over runs cost
/// little.
constexpr std::int64_t sum_runs(std::int64_t length, std::int64_t columns, int multiprocessors) {
  constexpr std::int64_t threads_per_multiprocessor = 1024;
  return runs_of(length, columns, multiprocessors * threads_per_multiprocessor);
}

/// The same for blocks whose threads share a run: `length` is a thread's number of terms, and `blocks` the number of
/// blocks that sum a run each in parallel.
constexpr std::int64_t block_runs(std::int64_t length, std::int64_t blocks, int multiprocessors) {
  constexpr std::int64_t blocks_of_multiprocessor = 4;
  return runs_of(length, blocks, multiprocessors * blocks_of_multiprocessor);
}

}  // namespace ddlbench::kernels
