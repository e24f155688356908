#pragma once

#include <string>

namespace ddlbench {

/// Returns the shortest decimal that reads back as the same number: "0.9", "1e-08".
std::string to_text(float value);
std::string to_text(double value);

}  // namespace ddlbench
