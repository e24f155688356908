#include "workloads/text/unicode.h"

#include <algorithm>
#include <array>

namespace ddlbench::workloads {
namespace {

bool contains(const std::vector<CodeRange>& ranges, std::uint32_t code_point) {
  const auto after = std::upper_bound(ranges.begin(), ranges.end(), code_point,
                                      [](std::uint32_t code, const CodeRange& range) { return code < range.first; });
  return after != ranges.begin() && code_point <= (after - 1)->last;
}

bool is_space(std::uint32_t c) {
  return (c >= 0x9 && c <= 0xd) || c == 0x20 || c == 0x85 || c == 0xa0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200a) ||
         c == 0x2028 || c == 0x2029 || c == 0x202f || c == 0x205f || c == 0x3000;
}

CharacterClass look_up(std::uint32_t code_point) {
  if (is_space(code_point)) return CharacterClass::space;
  if (contains(letter_ranges(), code_point)) return CharacterClass::letter;
  if (contains(number_ranges(), code_point)) return CharacterClass::number;
  return CharacterClass::other;
}

}  // namespace

CharacterClass class_of(std::uint32_t code_point) {
  static const auto ascii = [] {
    std::array<CharacterClass, 128> classes{};
    for (std::uint32_t i = 0; i < classes.size(); ++i) classes[i] = look_up(i);
    return classes;
  }();
  return code_point < ascii.size() ? ascii[code_point] : look_up(code_point);
}

Character first_character(std::string_view text) {
  const auto byte = [&text](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])); };
  const std::uint32_t lead = byte(0);
  if (lead < 0x80) return {1, class_of(lead)};
  const std::size_t bytes = lead >= 0xf0 && lead < 0xf5 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc2 ? 2 : 0;
  if (bytes == 0 || lead >= 0xf5 || text.size() < bytes) return {1, CharacterClass::other};
  std::uint32_t code_point = lead & (0x7fU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0U) != 0x80) return {1, CharacterClass::other};
    code_point = (code_point << 6) | (byte(i) & 0x3fU);
  }
  const bool overlong = (bytes == 3 && code_point < 0x800) || (bytes == 4 && code_point < 0x10000);
  const bool surrogate = code_point >= 0xd800 && code_point < 0xe000;
  if (overlong || surrogate || code_point > 0x10ffff) return {1, CharacterClass::other};
  return {bytes, class_of(code_point)};
}

}  // namespace ddlbench::workloads
