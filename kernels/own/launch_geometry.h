#pragma once

#include <algorithm>
#include <cstdint>

/// How many blocks and threads a launch takes. All counts are 64-bit: what does not fit the grid is looped over by the
/// kernel (grid-stride), so that no size overflows. Zero blocks: there is nothing to launch.
namespace ddlbench::kernels {

constexpr int warp_size = 32;
constexpr int block_threads = 256;
constexpr int warps_per_block = block_threads / warp_size;
constexpr int bytes_per_vector = 16;  ///< the widest load and store of one thread

/// Waves of resident blocks (2048 threads of a multiprocessor) that a grid has at most: enough to even out the end.
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

/// One block for each of `teams`.
constexpr Geometry geometry_of_blocks(std::int64_t teams, int multiprocessors) {
  return {std::min(teams, multiprocessors * blocks_per_multiprocessor), block_threads};
}

/// One warp for each of `teams`; the last block has idle ones.
constexpr Geometry geometry_of_warps(std::int64_t teams, int multiprocessors) {
  return geometry_of_blocks(quotient_up(teams, warps_per_block), multiprocessors);
}

/// One thread for each of `items`.
constexpr Geometry geometry_of_items(std::int64_t items, int multiprocessors) {
  return geometry_of_blocks(quotient_up(items, block_threads), multiprocessors);
}

/// What a flat range of `size` elements takes at `width` elements to a vector: whole vectors first, then the rest one
/// by one.
constexpr std::int64_t items_of(std::int64_t size, int width) {
  return size / width + size % width;
}

/// Into how many runs `length` summands are cut where `columns` threads sum beside each other: enough that every
/// multiprocessor has loads in flight, and runs of 16 at least, so that second sums cost little.
constexpr std::int64_t sum_runs(std::int64_t length, std::int64_t columns, int multiprocessors) {
  constexpr std::int64_t threads_per_multiprocessor = 1024, shortest_run = 16;
  const std::int64_t wanted =
      quotient_up(multiprocessors * threads_per_multiprocessor, std::max<std::int64_t>(columns, 1));
  return std::clamp<std::int64_t>(wanted, 1, std::max<std::int64_t>(quotient_up(length, shortest_run), 1));
}

}  // namespace ddlbench::kernels
