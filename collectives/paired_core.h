#pragma once

#include <bit>

namespace ddlbench::collectives {

/// The position of one rank in an algorithm for powers of two, run on n = 2^k + e ranks, 0 ≤ e < 2^k. The first 2e
/// ranks form pairs, and the odd rank of each pair hands its work to the even rank below it. The remaining 2^k ranks
/// are the core: the even ranks of the pairs, then ranks 2e and up.
struct PairedCore {
  PairedCore(int own_rank, int ranks)
      : rank(own_rank),
        size(static_cast<int>(std::bit_floor(static_cast<unsigned>(ranks)))),
        levels(std::countr_zero(static_cast<unsigned>(size))),
        pairs(ranks - size) {}

  bool paired() const { return rank < 2 * pairs; }
  bool is_outside_core() const { return paired() && rank % 2 == 1; }
  /// Returns the position in the core. Valid for ranks of the core only.
  int position() const { return paired() ? rank / 2 : rank - pairs; }
  int rank_at(int place) const { return place < pairs ? 2 * place : place + pairs; }

  int rank;
  int size;    ///< 2^k
  int levels;  ///< k
  int pairs;   ///< e
};

}  // namespace ddlbench::collectives
