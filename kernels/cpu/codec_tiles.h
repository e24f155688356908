#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/independent.h"
#include "graph/ops/codecs/layout.h"
#include "kernels/cpu/draws.h"
#include "kernels/functors/codecs/draw.h"
#include "kernels/functors/codecs/rules.h"
#include "kernels/own/storage.h"

/// Codes of one tile of a GroupedLayout, packed and unpacked in a core's L1 cache.
namespace ddlbench::kernels::cpu {

inline constexpr std::int64_t tile_elements = graph::GroupedLayout::tile;
inline constexpr std::int64_t code_lanes = graph::GroupedLayout::words;
using Tile = std::array<float, tile_elements>;

/// Returns v of elements [first, first + size) of a bucket, filled up with 0 to a whole tile: g itself if that is all.
template <class T>
const float* gradient_tile(const T* g, const float* residual, std::int64_t first, std::int64_t size, Tile& tile) {
  if constexpr (std::is_same_v<T, float>) {
    if (residual == nullptr && size == tile_elements) return g + first;
  }
  const T* from = g + first;
  float* to = tile.data();
  if (residual == nullptr) {
    for (std::int64_t i = 0; i < size; ++i) to[i] = own::to_f32(from[i]);
  } else {
    const float* before = residual + first;
    for (std::int64_t i = 0; i < size; ++i) to[i] = own::to_f32(from[i]) + before[i];
  }
  std::fill(tile.begin() + size, tile.end(), 0.0f);
  return to;
}

/// Draws one number in (0, 1] for each element of a tile that begins at element `first`.
inline void draw_tile(const CodecDraw& draw, std::int64_t first, Tile& numbers) {
  float* to = numbers.data();
  for (std::int64_t run = 0; run < tile_elements / CodecDraw::run; ++run) {
    Draws words;
    const std::int64_t counter = (first / CodecDraw::run + run) * CodecDraw::lanes;
    draw_words(draw.key, draw.high, draw.low + static_cast<std::uint64_t>(counter), words);
    for (const auto& row : words)
      for (const std::uint32_t word : row) *to++ = positive_unit_float(word);
  }
}

/// Writes the codes of the values of a tile. Codes of elements from `size` on are 0. If `left` is a float*, stores
/// there what is left of each value; it may be `v`. Rule and scales are copies, which no store can change.
template <class Rule, class Size, class Left>
void pack_tile(const Rule rule, const GroupScales<Rule::scales> scales, const float* v, const float* numbers, Size size,
               Left left, std::uint32_t* codes) {
  constexpr std::int64_t rows = 32 / Rule::bits;
  for (std::int64_t block = 0; block * rows * code_lanes < size; ++block) {
    std::array<std::uint32_t, code_lanes> words{}, made;
    for (std::int64_t row = 0; row < rows; ++row) {
      const std::int64_t at = (block * rows + row) * code_lanes;
      for (std::size_t lane = 0; lane < code_lanes; ++lane) {
        const auto i = at + static_cast<std::int64_t>(lane);
        const std::uint32_t code = rule.code(scales, v[i], Rule::draws ? numbers[i] : 0.0f);
        made[lane] = i < size ? code : 0;
        words[lane] |= made[lane] << (Rule::bits * row);
      }
      if constexpr (std::is_same_v<Left, float*>) {
        DDLBENCH_INDEPENDENT
        for (std::int64_t lane = 0; lane < code_lanes; ++lane)
          left[at + lane] = v[at + lane] - rule.value(scales, made[static_cast<std::size_t>(lane)]);
      }
    }
    std::copy(words.begin(), words.end(), codes + block * code_lanes);
  }
}

/// Adds D of the `size` elements of a tile to `sums`, which has space for a whole tile.
template <class Rule>
void add_tile(const Rule rule, const GroupScales<Rule::scales> scales, const std::uint32_t* codes, std::int64_t size,
              float* sums) {
  constexpr std::int64_t rows = 32 / Rule::bits;
  constexpr std::uint32_t mask = (1u << Rule::bits) - 1;
  for (std::int64_t block = 0; block * rows * code_lanes < size; ++block) {
    const std::uint32_t* words = codes + block * code_lanes;
    for (std::int64_t row = 0; row < rows; ++row) {
      float* to = sums + (block * rows + row) * code_lanes;
      DDLBENCH_INDEPENDENT
      for (std::int64_t lane = 0; lane < code_lanes; ++lane)
        to[lane] += rule.value(scales, words[lane] >> (Rule::bits * row) & mask);
    }
  }
}

}  // namespace ddlbench::kernels::cpu
