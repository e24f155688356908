#pragma once

#include <cstdint>

#include "graph/ops/codec.h"
#include "graph/random.h"
#include "graph/scalars.h"

namespace ddlbench::kernels {

/// The random numbers of one launch of an Encode (graph/ops/codec.h says which).
struct CodecDraw {
  static constexpr std::int64_t run = 64;    ///< elements whose draws are neighbours
  static constexpr std::int64_t lanes = 16;  ///< draws of a run

  std::uint64_t key, high, low;  ///< Philox's key, and its counter for the first draw

  DDLBENCH_HOST_DEVICE CodecDraw(std::uint64_t stream, const graph::Scalars& scalars)
      : key(graph::random_key(scalars.seed, graph::Purpose::codec, stream)),
        high(static_cast<std::uint64_t>(scalars.step)),
        low(static_cast<std::uint64_t>(scalars.rank) << 45) {}

  /// Returns the words of the elements run · 64 + lane + 16w for w = 0, …, 3.
  DDLBENCH_HOST_DEVICE graph::Philox words(std::int64_t of_run, std::int64_t lane) const {
    return graph::philox(key, high, low + static_cast<std::uint64_t>(of_run * lanes + lane));
  }
};

/// Converts the upper 24 bits to a number in (0, 1].
DDLBENCH_HOST_DEVICE inline float positive_unit_float(std::uint32_t word) {
  return static_cast<float>(static_cast<std::int32_t>(word >> 8) + 1) * 0x1p-24f;
}

}  // namespace ddlbench::kernels
