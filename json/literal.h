#pragma once

#include <string_view>

namespace ddlbench::json {

/// Functions on the literal of a number with a decimal point or an exponent. They judge the exact value that is
/// written, which a double may not hold.

/// Returns whether the value is exactly an integer: true for 64.0 and 6.4e1, false for 1.0000000000000000000001 and
/// -0.0.
bool is_integral(std::string_view literal);
/// Returns whether the value is zero: false for 1e-400.
bool is_zero(std::string_view literal);

}  // namespace ddlbench::json
