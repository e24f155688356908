#pragma once

#include <string>

namespace ddlbench {

/// The shortest decimal that reads back as this number: "0.9", "1e-08".
std::string to_text(float value);
std::string to_text(double value);

}  // namespace ddlbench
