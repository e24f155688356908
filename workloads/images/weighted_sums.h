#pragma once

#include <array>
#include <cstdint>

#include "workloads/images/image.h"

// The inner loops of Resampler: sums of bytes times 22-bit weights, rounded to bytes. The weights of a sum are
// non-negative and add up to 2^22 except for rounding. They come in pairs, the last one padded with 0. Each weight is
// stored as two parts of 11 bits, so that processors can use 16-bit multiply-add instructions.

namespace ddlbench::workloads {

constexpr int weight_bits = 32 - 8 - 2;
constexpr int low_bits = 11;

/// The weights of two neighbouring pixels.
struct WeightPair {
  std::array<std::int16_t, 2> high;
  std::array<std::int16_t, 2> low;
};

inline WeightPair weight_pair(std::int32_t first, std::int32_t second) {
  constexpr std::int32_t mask = (1 << low_bits) - 1;
  return {{static_cast<std::int16_t>(first >> low_bits), static_cast<std::int16_t>(second >> low_bits)},
          {static_cast<std::int16_t>(first & mask), static_cast<std::int16_t>(second & mask)}};
}

/// The weights of several outputs. Those of output i begin at pairs[i · most], its pixels at first[i].
struct WeightTable {
  const std::int32_t* first;
  const std::int32_t* count;  ///< number of pairs
  const WeightPair* pairs;
  std::size_t most;
  int outputs;
};

/// Computes `outputs` RGB pixels from each of four rows. Reads up to 5 bytes after the source pixels of an output, and
/// writes one byte after the last output pixel.
void resize_rows(const std::array<const std::uint8_t*, 4>& rows, const WeightTable& table,
                 const std::array<std::uint8_t*, 4>& to);

/// Computes a row of `length` bytes as the weighted sum of 2·`count` rows. Reads and writes up to 15 bytes after them.
/// Rows with weight 0 are read, too.
void sum_rows(const std::uint8_t* from, std::size_t stride, const WeightPair* pairs, int count, std::size_t length,
              std::uint8_t* to);

/// The same functions for any processor, byte by byte.
namespace portable {
void resize_rows(const std::array<const std::uint8_t*, 4>& rows, const WeightTable& table,
                 const std::array<std::uint8_t*, 4>& to);
void sum_rows(const std::uint8_t* from, std::size_t stride, const WeightPair* pairs, int count, std::size_t length,
              std::uint8_t* to);
}  // namespace portable

}  // namespace ddlbench::workloads
