#pragma once

#include <bit>

namespace ddlbench::collectives {

/// One rank's place among n = 2^k + e ranks, 0 ≤ e < 2^k, of an algorithm for powers of two: the first 2e ranks pair
/// up, and each odd one leaves its work to the even one below. The 2^k that remain are the core: the evens of the
/// pairs, then ranks 2e ….
struct PairedCore {
  PairedCore(int own_rank, int ranks)
      : rank(own_rank),
        size(static_cast<int>(std::bit_floor(static_cast<unsigned>(ranks)))),
        levels(std::countr_zero(static_cast<unsigned>(size))),
        pairs(ranks - size) {}

  bool paired() const { return rank < 2 * pairs; }
  bool leaves() const { return paired() && rank % 2 == 1; }
  /// In the core; of ranks that do not leave.
  int position() const { return paired() ? rank / 2 : rank - pairs; }
  int rank_at(int place) const { return place < pairs ? 2 * place : place + pairs; }

  int rank;
  int size;    ///< 2^k
  int levels;  ///< k
  int pairs;   ///< e
};

}  // namespace ddlbench::collectives
