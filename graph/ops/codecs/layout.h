#pragma once

#include <cstdint>
#include <vector>

#include "base/option.h"

/// The two layouts of payloads. Numbers are little-endian.
namespace ddlbench::graph {

/// A code of `bits` bits (1, 2, 4 or 8) for each element, and `scales` f32 for each group of `group` elements; the last
/// group may be shorter.
///
/// First come blocks of 16 words of 32 bits. Word w of block b has the codes of the elements b · 512 / bits + w + 16k
/// for k = 0, 1, …, in its bits [bits · k, bits · (k + 1)). So a processor packs 16 elements at once, and neighbouring
/// threads of a GPU read neighbouring elements. Codes past the last element are 0. Then come the scales, group by
/// group.
struct GroupedLayout {
  static constexpr std::int64_t words = 16;  ///< of a block
  static constexpr std::int64_t tile = 512;  ///< elements that fill whole blocks, whatever `bits` is

  std::int64_t elements = 0;
  std::int64_t group = tile;  ///< a multiple of `tile`
  int bits = 1;
  int scales = 0;

  constexpr std::int64_t groups() const { return (elements + group - 1) / group; }
  constexpr std::int64_t block_elements() const { return tile / bits; }
  constexpr std::int64_t code_bytes() const {
    return (elements + block_elements() - 1) / block_elements() * words * std::int64_t{sizeof(std::uint32_t)};
  }
  constexpr std::int64_t bytes() const { return code_bytes() + groups() * scales * std::int64_t{sizeof(float)}; }
};

/// The indices (u32, ascending) of `selected` elements, and then `values` f32.
struct SelectedLayout {
  std::int64_t elements = 0;
  std::int64_t selected = 0;
  std::int64_t values = 0;

  constexpr std::int64_t index_bytes() const { return selected * std::int64_t{sizeof(std::uint32_t)}; }
  constexpr std::int64_t bytes() const { return index_bytes() + values * std::int64_t{sizeof(float)}; }
};

/// Returns how many elements a density selects: max(1, round(density · elements)), at most all. Throws InputError if
/// indices of u32 do not suffice.
std::int64_t selected_of(double density, std::int64_t elements);

/// The options of several codecs, and problems with them.
Option group_option(std::int64_t value);
Option density_option(double value);
std::vector<OptionProblem> group_problems(const OptionValues& options);

}  // namespace ddlbench::graph
