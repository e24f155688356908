#include "workloads/text/words.h"

#include <utf8proc.h>

#include <array>
#include <cstdint>

namespace ddlbench::workloads {
namespace {

enum class CharacterClass : std::uint8_t { letter, number, space, other };

CharacterClass class_of(utf8proc_int32_t code_point) {
  const bool is_control_space = (code_point >= '\t' && code_point <= '\r') || code_point == 0x85;  // of category Cc
  switch (utf8proc_category_string(code_point)[0]) {
    case 'L':
      return CharacterClass::letter;
    case 'N':
      return CharacterClass::number;
    case 'Z':
      return CharacterClass::space;
    default:
      return is_control_space ? CharacterClass::space : CharacterClass::other;
  }
}

/// The first character of a text, which must not be empty.
struct Character {
  std::size_t bytes = 0;
  CharacterClass kind = CharacterClass::other;
};

Character first_character(std::string_view text) {
  static const auto ascii = [] {
    std::array<CharacterClass, 128> classes{};
    for (std::size_t i = 0; i < classes.size(); ++i) classes[i] = class_of(static_cast<utf8proc_int32_t>(i));
    return classes;
  }();
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < ascii.size()) return {1, ascii[lead]};
  utf8proc_int32_t code_point = 0;
  const auto* begin = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  const auto bytes = utf8proc_iterate(begin, static_cast<utf8proc_ssize_t>(text.size()), &code_point);
  if (bytes <= 0) return {1, CharacterClass::other};
  return {static_cast<std::size_t>(bytes), class_of(code_point)};
}

/// Returns the bytes of the run of characters of class `kind` from `begin` on.
std::size_t run(std::string_view text, std::size_t begin, CharacterClass kind) {
  std::size_t end = begin;
  while (end < text.size()) {
    const Character next = first_character(text.substr(end));
    if (next.kind != kind) break;
    end += next.bytes;
  }
  return end - begin;
}

std::size_t contraction(std::string_view text) {
  for (const std::string_view suffix : {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"}) {
    if (text.substr(0, suffix.size()) == suffix) return suffix.size();
  }
  return 0;
}

/// Returns the bytes of white space that form a word. Before another word, the last character is left out; that word
/// takes it if it is a blank.
std::size_t white_space(std::string_view text) {
  std::size_t end = 0, last = 0;
  while (end < text.size()) {
    const Character next = first_character(text.substr(end));
    if (next.kind != CharacterClass::space) break;
    last = end;
    end += next.bytes;
  }
  return end == text.size() || last == 0 ? end : last;
}

}  // namespace

std::size_t first_word(std::string_view text) {
  if (const std::size_t bytes = contraction(text)) return bytes;
  const std::size_t blank = text[0] == ' ' ? 1 : 0;
  if (blank < text.size()) {
    const CharacterClass kind = first_character(text.substr(blank)).kind;
    if (kind != CharacterClass::space) return blank + run(text, blank, kind);
  }
  return white_space(text);
}

}  // namespace ddlbench::workloads
