#pragma once

#include <string>
#include <type_traits>

#include "base/number.h"

namespace ddlbench::graph {

/// Attributes of an op in words, "head_size=64 bias=yes activation=relu", of names and values by turns. Numbers are the
/// shortest that read back, enumerations what their name() says.
template <class Value, class... More>
std::string in_words(const char* attribute, const Value& value, const More&... more) {
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
  if constexpr (sizeof...(more) > 0) text += " " + in_words(more...);
  return text;
}

}  // namespace ddlbench::graph
