#include "json/parse.h"

#include <fmt/core.h>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "base/error.h"

namespace ddlbench::json {
namespace {

std::string not_json_at(const Location& at) {
  return fmt::format("not JSON: line {}, column {}", at.line, at.column);
}

/// Returns the offset of the bracket that opens one level too many.
std::optional<std::size_t> find_too_deep(std::string_view text) {
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      in_string = !in_string;
    } else if (in_string) {
      if (c == '\\') ++i;
    } else if (c == '[' || c == '{') {
      if (++depth > max_depth) return i;
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Location> find_nul(std::string_view text, Location start) {
  const std::size_t nul = text.find('\0');
  if (nul == std::string_view::npos) return std::nullopt;
  return end_of(text.substr(0, nul), start);
}

nlohmann::json parse_whole(std::string_view text) {
  if (const auto nul = find_nul(text)) throw InputError(fmt::format("{}: {}", not_json_at(*nul), nul_byte_error));
  if (const auto deep = find_too_deep(text)) {
    throw InputError(
        fmt::format("{}: nested deeper than {} levels", not_json_at(end_of(text.substr(0, *deep))), max_depth));
  }
  try {
    return nlohmann::json::parse(text);
  } catch (const nlohmann::json::parse_error& error) {
    const std::size_t behind = std::max<std::size_t>(error.byte, 1);  // counts the last byte read
    throw InputError(not_json_at(end_of(text.substr(0, std::min(behind - 1, text.size())))));
  } catch (const nlohmann::json::out_of_range&) {
    throw InputError("not JSON: it has a number that is too large for a double");
  }
}

}  // namespace ddlbench::json
