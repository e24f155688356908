#pragma once

#include <concepts>
#include <string>
#include <string_view>

namespace ddlbench {

/// Returns a number and a noun: "1 rank", "3 ranks". `plural`: the noun's plural, if that is not the noun with an s.
std::string counted(std::integral auto count, std::string_view noun, std::string_view plural = "") {
  std::string text = std::to_string(count).append(" ");
  if (count == 1 || plural.empty()) {
    text.append(noun).append(count == 1 ? "" : "s");
  } else {
    text.append(plural);
  }
  return text;
}

}  // namespace ddlbench
