#pragma once

#include "kernels/own/bind.h"

/// Rows that a team reads once and processes in several passes. A thread keeps its part of the row, if that is at most
/// `most_kept` elements; of longer rows it makes each value again in each pass.
namespace ddlbench::kernels::own {

constexpr int most_kept = 32;  ///< f32 numbers: with two rows, a quarter of the registers that a thread may have

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
    } else {
      each_kept(team, thread, size, [&](Value& value, std::int64_t i) {
        value = make(i);
        body(value, i);
      });
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
      const std::int64_t i = (std::int64_t{p} * team.threads() + thread) * width;
      if (i < size) body(kept_[p], i);
    }
  }

  Value kept_[packs > 0 ? packs : 1];
};

/// Launches make(Packs<packs>) for rows of `size` elements, a team per row: a warp or a block if its threads can keep
/// the row, otherwise a block that keeps nothing.
template <int width>
void launch_kept_rows(const auto& launcher, const char* name, std::int64_t rows, std::int64_t size, const auto& make) {
  constexpr Packs<most_kept / width> kept;
  if (size <= warp_size * most_kept) {
    launcher.warps(name, rows, make(kept));
  } else if (size <= block_threads * most_kept) {
    launcher.blocks(name, rows, make(kept));
  } else {
    launcher.blocks(name, rows, make(Packs<0>{}));
  }
}

}  // namespace ddlbench::kernels::own
