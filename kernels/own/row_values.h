#pragma once

#include <algorithm>

#include "kernels/own/bind.h"

/// Rows that a team reads once and processes in several passes. A thread keeps its part of the row, if that is not too
/// long; of longer rows it makes each value again in each pass.
namespace ddlbench::kernels::own {

/// The number of packs that a thread keeps: at most 32 f32 numbers, with two rows a quarter of the registers that it
/// may have, and at most eight loads, each of which needs registers for its address.
template <int width>
constexpr int most_packs = std::min(32 / width, 8);

template <int packs>
using Packs = std::integral_constant<int, packs>;

/// The values of one thread: make(i) for each of its packs [i, i + width) of a row. `packs` is the number that is kept;
/// 0: none. The size of the row is a multiple of `width`.
template <class Value, int width, int packs>
class RowValues {
 public:
  /// Makes the values and calls body(value, i) for each.
  template <class Team, class Make, class Body>
  DDLBENCH_DEVICE void make_each(const Team& team, int thread, std::int64_t size, const Make& make, const Body& body) {
    if constexpr (packs == 0) {
      each_of_row<width>(team, thread, size, [&](std::int64_t i) { body(make(i), i); });
    } else if (size > 0) {
      // Without a branch, so that all loads are in flight at once. Beyond its part a thread loads the first pack.
      DDLBENCH_UNROLL_ALL
      for (int p = 0; p < packs; ++p) {
        const std::int64_t i = begin_of(team, thread, p);
        kept_[p] = make(i < size ? i : 0);
      }
      each_kept(team, thread, size, body);
    }
  }
  /// Calls body(value, i) for each value that make_each has made.
  template <class Team, class Make, class Body>
  DDLBENCH_DEVICE void each(const Team& team, int thread, std::int64_t size, const Make& make, const Body& body) {
    if constexpr (packs == 0) {
      make_each(team, thread, size, make, body);
    } else {
      each_kept(team, thread, size, body);
    }
  }

 private:
  template <class Team, class Body>
  DDLBENCH_DEVICE void each_kept(const Team& team, int thread, std::int64_t size, const Body& body) {
    DDLBENCH_UNROLL_ALL
    for (int p = 0; p < packs; ++p) {
      const std::int64_t i = begin_of(team, thread, p);
      if (i < size) body(kept_[p], i);
    }
  }
  template <class Team>
  DDLBENCH_DEVICE static std::int64_t begin_of(const Team& team, int thread, int pack) {
    return (std::int64_t{pack} * team.threads() + thread) * width;
  }

  Value kept_[packs > 0 ? packs : 1];
};

/// Launches make(Packs<packs>) for rows of `size` elements, a team per row: a warp or a block if its threads can keep
/// the row, otherwise a block that keeps nothing.
template <int width>
void launch_kept_rows(const auto& launcher, const char* name, std::int64_t rows, std::int64_t size, const auto& make) {
  constexpr Packs<most_packs<width>> kept;
  constexpr std::int64_t most_of_thread = most_packs<width> * width;
  if (size <= warp_size * most_of_thread) {
    launcher.warps(name, rows, make(kept));
  } else if (size <= block_threads * most_of_thread) {
    launcher.blocks(name, rows, make(kept));
  } else {
    launcher.blocks(name, rows, make(Packs<0>{}));
  }
}

}  // namespace ddlbench::kernels::own
