#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace ddlbench {

/// Returns `text(value)` of all values, separated by `between`.
std::string joined(const auto& values, std::string_view between, const auto& text) {
  std::string all;
  bool first = true;
  for (const auto& value : values) {
    if (!std::exchange(first, false)) all += between;
    all += text(value);
  }
  return all;
}

/// Joins texts or whole numbers.
std::string joined(const auto& values, std::string_view between = ", ") {
  return joined(values, between, [](const auto& value) {
    if constexpr (std::is_integral_v<std::remove_cvref_t<decltype(value)>>)
      return std::to_string(value);
    else
      return std::string_view(value);
  });
}

}  // namespace ddlbench
