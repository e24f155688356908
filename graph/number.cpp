#include "graph/number.h"

#include <array>
#include <charconv>

namespace ddlbench::graph {

std::string to_text(float value) {
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  return {digits.data(), end};
}

}  // namespace ddlbench::graph
