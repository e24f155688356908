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

std::string without_middle(std::string_view line) {
  constexpr std::size_t longest = 4000, kept = 1900;  // of each end
  if (line.size() <= longest) return std::string(line);
  const auto continues = [line](std::size_t at) { return (static_cast<std::uint8_t>(line[at]) & 0xC0) == 0x80; };
  std::size_t first = kept, last = line.size() - kept;
  while (first > kept - 4 && continues(first)) --first;
  while (last < line.size() - kept + 4 && continues(last)) ++last;
  return fmt::format("{} … {} bytes … {}", line.substr(0, first), last - first, line.substr(last));
}

}  // namespace

std::string printable(std::string_view text) {
  return escaped(text, false);
}

std::string printable_lines(std::string_view text) {
  return escaped(text, true);
}

std::string shortened(std::string_view message) {
  constexpr std::ptrdiff_t most_lines = 100;
  std::string result;
  std::ptrdiff_t lines = 0;
  for (std::string_view rest = message; !rest.empty();) {
    if (lines++ == most_lines) {
      const std::ptrdiff_t more = std::count(rest.begin(), rest.end(), '\n') + (rest.ends_with('\n') ? 0 : 1);
      return result + fmt::format("… and {} more lines", more);
    }
    const std::size_t end = rest.find('\n');
    result += without_middle(rest.substr(0, end));
    if (end == std::string_view::npos) break;
    result += '\n';
    rest.remove_prefix(end + 1);
  }
  return result;
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
