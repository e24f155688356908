#include "json/literal.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>

namespace ddlbench::json {
namespace {

struct Decimal {
  bool negative = false;
  std::string digits;
  std::int64_t point = 0;  ///< number of digits in front of the decimal point, after the exponent is applied
};

Decimal decimal_of(std::string_view literal) {
  Decimal decimal;
  decimal.negative = literal.starts_with('-');
  if (decimal.negative) literal.remove_prefix(1);
  const std::size_t end = std::min(literal.find_first_of("eE"), literal.size());
  const std::string_view mantissa = literal.substr(0, end);
  const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
  decimal.digits = mantissa.substr(0, point);
  decimal.point = static_cast<std::int64_t>(point);
  if (point < mantissa.size()) decimal.digits += mantissa.substr(point + 1);
  if (end == literal.size()) return decimal;
  std::string_view exponent = literal.substr(end + 1);
  if (exponent.starts_with('+')) exponent.remove_prefix(1);
  std::int32_t moved = 0;  // an exponent out of range belongs to a zero or to a number out of the range of double
  std::from_chars(exponent.data(), exponent.data() + exponent.size(), moved);
  decimal.point += moved;
  return decimal;
}

bool only_zeros(std::string_view digits) {
  return digits.find_first_not_of('0') == std::string_view::npos;
}

}  // namespace

bool is_integral(std::string_view literal) {
  const Decimal decimal = decimal_of(literal);
  if (only_zeros(decimal.digits)) return !decimal.negative;
  const auto whole = static_cast<std::size_t>(std::max<std::int64_t>(decimal.point, 0));
  return whole >= decimal.digits.size() || only_zeros(std::string_view(decimal.digits).substr(whole));
}

bool is_zero(std::string_view literal) {
  return only_zeros(decimal_of(literal).digits);
}

}  // namespace ddlbench::json
