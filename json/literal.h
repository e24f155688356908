#pragma once

#include <string_view>

namespace ddlbench::json {

/// What a number with a point or an exponent says as it is written, in JSON's grammar, whatever a double makes of it.

/// Whether it is exactly an integer: 64.0 and 6.4e1 are, 1.0000000000000000000001 and -0.0 are not.
bool is_integral(std::string_view literal);
/// Whether it is zero: 1e-400 is not.
bool is_zero(std::string_view literal);

}  // namespace ddlbench::json
