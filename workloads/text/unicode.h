#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace ddlbench::workloads {

/// The code points first … last, both included.
struct CodeRange {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
};

extern const char* const unicode_version;       ///< of the two tables
const std::vector<CodeRange>& letter_ranges();  ///< general category L, ascending
const std::vector<CodeRange>& number_ranges();  ///< general category N, ascending

enum class CharacterClass : std::uint8_t { letter, number, space, other };

/// Returns the class of a code point. `space` is Unicode's White_Space.
CharacterClass class_of(std::uint32_t code_point);

/// The first character of a UTF-8 text. A byte that begins no well-formed character is a character of class `other`.
struct Character {
  std::size_t bytes = 0;
  CharacterClass kind = CharacterClass::other;
};
Character first_character(std::string_view text);

}  // namespace ddlbench::workloads
