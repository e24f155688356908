#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "graph/ops/optimizer.h"
#include "kernels/rewrite/convert.h"

/// Access to flat ranges of parameters in pieces that fit in a cache.
namespace ddlbench::kernels::cpu {

inline constexpr std::int64_t block_elements = 1024;

/// Calls body(segment, begin, end) for consecutive pieces of [begin, end). Each piece is part of one segment and has at
/// most block_elements elements.
template <class Body>
void each_piece(std::span<const graph::UpdateSegment> segments, std::int64_t begin, std::int64_t end,
                const Body& body) {
  const auto ends_before = [](const graph::UpdateSegment& segment, std::int64_t i) { return segment.end <= i; };
  for (auto at = std::lower_bound(segments.begin(), segments.end(), begin, ends_before); begin < end; ++at) {
    const std::int64_t stop = std::min(end, at->end);
    for (; begin < stop; begin += block_elements) body(*at, begin, std::min(begin + block_elements, stop));
    begin = stop;
  }
}

/// Returns `size` ≤ block_elements of `numbers` in f32, starting at `begin`: their own address if they are f32,
/// otherwise `buffer` with the converted numbers.
inline const float* wide_piece(const void* numbers, graph::DType dtype, std::int64_t begin, std::int64_t size,
                               std::array<float, block_elements>& buffer) {
  if (!is_narrow(dtype)) return static_cast<const float*>(numbers) + begin;
  widen(1, dtype, static_cast<const std::uint16_t*>(numbers) + begin, buffer.data(), size);
  return buffer.data();
}

}  // namespace ddlbench::kernels::cpu
