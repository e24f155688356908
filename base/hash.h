#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ddlbench {

/// 64-bit FNV-1a, of bytes that follow those of the hash `before`.
std::uint64_t fnv1a(std::string_view bytes, std::uint64_t before = 0xcbf29ce484222325u);

/// 16 digits.
std::string hexadecimal(std::uint64_t number);

}  // namespace ddlbench
