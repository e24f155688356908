#pragma once

#include <string_view>

namespace ddlbench::test {

/// Returns how often a part occurs in a text.
inline int times_in(std::string_view text, std::string_view part) {
  int found = 0;
  for (auto at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

inline bool is_in(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

}  // namespace ddlbench::test
