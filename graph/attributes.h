#pragma once

#include <string>
#include <type_traits>

#include "base/number.h"

namespace ddlbench::graph {

/// Returns the attributes of an op as text, such as "head_size=64 bias=yes activation=relu". The arguments are names
/// and values in turn. Numbers are printed with the fewest digits that read back to the same value, enumerators with
/// name().
template <class Value, class... More>
std::string attribute_text(const char* attribute, const Value& value, const More&... more) {
  std::string text = std::string(attribute) + "=";
  if constexpr (std::is_same_v<Value, bool>)
    text += value ? "yes" : "no";
  else if constexpr (std::is_enum_v<Value>)
    text += name(value);
  else if constexpr (std::is_floating_point_v<Value>)
    text += to_text(value);
  else if constexpr (std::is_integral_v<Value>)
    text += std::to_string(value);
  else
    text += value;
  if constexpr (sizeof...(more) > 0) text += " " + attribute_text(more...);
  return text;
}

}  // namespace ddlbench::graph
