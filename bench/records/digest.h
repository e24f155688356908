#pragma once

#include <string>

namespace ddlbench::bench {

/// 64-bit FNV-1a, as 16 hexadecimal digits.
std::string hash_of(const std::string& text);

}  // namespace ddlbench::bench
