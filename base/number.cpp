#include "base/number.h"

#include <array>
#include <charconv>

namespace ddlbench {
namespace {

std::string shortest(auto value) {
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  return {digits.data(), end};
}

}  // namespace

std::string to_text(float value) {
  return shortest(value);
}

std::string to_text(double value) {
  return shortest(value);
}

}  // namespace ddlbench
