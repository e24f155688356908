#pragma once

#include <utility>

#include "kernels/cpu/vector.h"

namespace ddlbench::kernels::cpu {

/// Swaps the lanes of `low` whose index has the bit `distance` with the lanes of `high` whose index lacks it.
template <int distance, std::size_t... lane>
inline void swap_lanes(FloatVector<vector_lanes>& low, FloatVector<vector_lanes>& high, std::index_sequence<lane...>) {
  constexpr int lanes = vector_lanes;
  const auto a = low, b = high;
#if defined(__clang__)
  low = __builtin_shufflevector(a, b, (lane & distance ? int(lane) - distance + lanes : int(lane))...);
  high = __builtin_shufflevector(a, b, (lane & distance ? int(lane) + lanes : int(lane) + distance)...);
#else  // GCC before 12 does not have __builtin_shufflevector
  using Places = IntegerVector<lanes>;
  low = __builtin_shuffle(a, b, Places{(lane & distance ? int(lane) - distance + lanes : int(lane))...});
  high = __builtin_shuffle(a, b, Places{(lane & distance ? int(lane) + lanes : int(lane) + distance)...});
#endif
}

/// Moves rows[i][j] to rows[j][i].
template <int distance = vector_lanes / 2>
inline void transpose(FloatVector<vector_lanes> (&rows)[vector_lanes]) {
  DDLBENCH_UNROLL_FULLY
  for (int i = 0; i < vector_lanes; ++i) {
    if ((i & distance) == 0)
      swap_lanes<distance>(rows[i], rows[i + distance], std::make_index_sequence<vector_lanes>());
  }
  if constexpr (distance > 1) transpose<distance / 2>(rows);
}

}  // namespace ddlbench::kernels::cpu
