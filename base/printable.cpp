#include "base/printable.h"

#include <fmt/core.h>
#include <utf8proc.h>

#include <algorithm>
#include <cstdint>

namespace ddlbench {
namespace {

bool is_terminal_control(std::uint32_t code) {
  const auto within = [code](std::uint32_t first, std::uint32_t last) { return code >= first && code <= last; };
  return code < 0x20 || within(0x7F, 0x9F) || code == 0x61C || within(0x200E, 0x200F) || within(0x2028, 0x202E) ||
         within(0x2066, 0x2069);
}

std::string escape(std::uint32_t code) {
  if (code == '\n') return "\\n";
  if (code == '\r') return "\\r";
  if (code == '\t') return "\\t";
  return code < 0x80 ? fmt::format("\\x{:02x}", code) : fmt::format("\\u{{{:x}}}", code);
}

std::string escaped(std::string_view text, bool keeps_line_feeds) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const auto* begin = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
    utf8proc_int32_t character = 0;
    const auto bytes = utf8proc_iterate(begin, static_cast<utf8proc_ssize_t>(text.size()), &character);
    const auto code = static_cast<std::uint32_t>(character);
    if (bytes <= 0) {
      result += fmt::format("\\x{:02x}", *begin);
    } else if (is_terminal_control(code) && !(keeps_line_feeds && code == '\n')) {
      result += escape(code);
    } else {
      result += text.substr(0, static_cast<std::size_t>(bytes));
    }
    text.remove_prefix(static_cast<std::size_t>(std::max<utf8proc_ssize_t>(1, bytes)));
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
    const auto byte = static_cast<std::uint8_t>(text[text.size() - bytes]);
    if ((byte & 0xC0) == 0x80) continue;
    const bool begins_character = byte < 0x80 || (byte >= 0xC2 && byte <= 0xF4);
    return begins_character && utf8proc_utf8class[byte] > static_cast<utf8proc_int8_t>(bytes) ? bytes : 0;
  }
  return 0;
}

}  // namespace ddlbench
