#pragma once

#include <array>
#include <cstdint>

#include "kernels/cpu/codec_tiles.h"
#include "kernels/cpu/vector.h"

/// What the scales of a group depend on, in columns (kernels/functors/codecs/group.h), collected tile by tile. The
/// values of a tile beyond its size are 0, which no collector counts.
namespace ddlbench::kernels::cpu {

template <class Rule>
struct Columns;

template <>
struct Columns<OneBitRule> {
  static constexpr int vectors = sum_columns / vector_lanes;
  FloatVector<vector_lanes> negative[vectors] = {}, other[vectors] = {};
  IntegerVector<vector_lanes> others[vectors] = {};
  std::int32_t zeros_added = 0;

  void add(const float* v, std::int64_t size) {
    const FloatVector<vector_lanes> zero{};
    for (std::int64_t at = 0; at < tile_elements; at += sum_columns) {
      DDLBENCH_UNROLL_FULLY
      for (int k = 0; k < vectors; ++k) {
        const auto value = load_vector<vector_lanes>(v + at + k * vector_lanes);
        const IntegerVector<vector_lanes> is_other = value >= zero;
        other[k] += is_other ? value : zero;
        negative[k] += is_other ? zero : value;
        others[k] -= is_other;
      }
    }
    zeros_added += static_cast<std::int32_t>(tile_elements - size);
  }
  OneBitRule::Part part(const OneBitRule& rule) const {
    std::array<OneBitRule::Part, sum_columns> columns;
    for (int c = 0; c < sum_columns; ++c) {
      const int k = c / vector_lanes, lane = c % vector_lanes;
      columns[static_cast<std::size_t>(c)] = {negative[k][lane], other[k][lane], others[k][lane]};
    }
    auto total = joined_columns(columns.data(), [&rule](const auto& a, const auto& b) { return rule.join(a, b); });
    total.others -= zeros_added;
    return total;
  }
};

template <>
struct Columns<TernaryRule> {
  std::uint32_t magnitude = 0;

  void add(const float* v, std::int64_t) {
    std::uint32_t largest = magnitude;
    for (std::int64_t i = 0; i < tile_elements; ++i) {
      const std::uint32_t bits = magnitude_bits(v[i]);
      largest = bits > largest ? bits : largest;
    }
    magnitude = largest;
  }
  TernaryRule::Part part(const TernaryRule&) const { return {magnitude}; }
};

template <int bits>
struct Columns<QsgdRule<bits>> {
  using Part = typename QsgdRule<bits>::Part;
  std::array<Part, sum_columns> squares{};

  void add(const float* v, std::int64_t) {
    for (std::int64_t at = 0; at < tile_elements; at += sum_columns) {
      for (std::int64_t c = 0; c < sum_columns; ++c)
        squares[static_cast<std::size_t>(c)].squares += double{v[at + c]} * double{v[at + c]};
    }
  }
  Part part(const QsgdRule<bits>& rule) {
    return joined_columns(squares.data(), [&rule](const Part& a, const Part& b) { return rule.join(a, b); });
  }
};

}  // namespace ddlbench::kernels::cpu
