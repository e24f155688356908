#include "base/printable.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>

namespace ddlbench {
namespace {

std::uint8_t byte_at(std::string_view text, std::size_t i) {
  return static_cast<std::uint8_t>(text[i]);
}

/// Returns the length of a UTF-8 character from its first byte, or 0 if no character begins with that byte.
std::size_t length_by(std::uint8_t first) {
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return 2;
  if (first >= 0xE0 && first <= 0xEF) return 3;
  return first >= 0xF0 && first <= 0xF4 ? 4 : 0;
}

/// The character at the beginning of a text: its length in bytes and its code point. The length is 0 if the text does
/// not begin with a valid character.
struct Character {
  std::size_t bytes = 0;
  std::uint32_t code = 0;
};

Character first_of(std::string_view text) {
  const std::size_t length = length_by(byte_at(text, 0));
  if (length == 0 || length > text.size()) return {};
  if (length == 1) return {1, byte_at(text, 0)};
  std::uint32_t code = byte_at(text, 0) & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte_at(text, i) & 0xC0) != 0x80) return {};
    code = (code << 6) | (byte_at(text, i) & 0x3FU);
  }
  constexpr std::array<std::uint32_t, 5> least{0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (code < least[length] || surrogate || code > 0x10FFFF) return {};
  return {length, code};
}

bool is_terminal_control(std::uint32_t code) {
  const auto within = [code](std::uint32_t first, std::uint32_t last) { return code >= first && code <= last; };
  return code < 0x20 || within(0x7F, 0x9F) || code == 0x61C || within(0x200E, 0x200F) || within(0x2028, 0x202E) ||
         within(0x2066, 0x2069);
}

std::string in_hexadecimal(const char* pattern, std::uint32_t value) {
  std::array<char, 16> text;
  std::snprintf(text.data(), text.size(), pattern, static_cast<unsigned>(value));
  return text.data();
}

std::string escape(std::uint32_t code) {
  if (code == '\n') return "\\n";
  if (code == '\r') return "\\r";
  if (code == '\t') return "\\t";
  return in_hexadecimal(code < 0x80 ? "\\x%02x" : "\\u{%x}", code);
}

std::string escaped(std::string_view text, bool keeps_line_feeds) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const Character next = first_of(text);
    if (next.bytes == 0) {
      result += in_hexadecimal("\\x%02x", byte_at(text, 0));
    } else if (is_terminal_control(next.code) && !(keeps_line_feeds && next.code == '\n')) {
      result += escape(next.code);
    } else {
      result += text.substr(0, next.bytes);
    }
    text.remove_prefix(std::max<std::size_t>(1, next.bytes));
  }
  return result;
}

}  // namespace

std::string printable(std::string_view text) {
  return escaped(text, false);
}

std::string printable_lines(std::string_view text) {
  return escaped(text, true);
}

std::size_t unfinished_bytes(std::string_view text) {
  for (std::size_t bytes = 1; bytes <= std::min<std::size_t>(3, text.size()); ++bytes) {
    const std::uint8_t byte = byte_at(text, text.size() - bytes);
    if ((byte & 0xC0) == 0x80) continue;
    return length_by(byte) > bytes ? bytes : 0;
  }
  return 0;
}

}  // namespace ddlbench
