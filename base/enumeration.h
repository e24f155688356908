#pragma once

#include <array>
#include <string_view>

#include "base/error.h"

namespace ddlbench {

/// The name of an enumerator. The enumeration counts from 0 and ends with `last`; each has a name, in their order.
template <auto last, class... Names>
std::string_view name_of(decltype(last) value, const Names&... names) {
  static_assert(sizeof...(names) == static_cast<std::size_t>(last) + 1);
  const auto index = static_cast<std::size_t>(value);
  require(index < sizeof...(names), "no enumerator has this value");
  return std::array<std::string_view, sizeof...(names)>{names...}[index];
}

}  // namespace ddlbench
