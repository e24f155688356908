#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace ddlbench {

/// Returns the 64-bit FNV-1a hash of `bytes`, continued from the hash `before` of the bytes in front of them.
std::uint64_t fnv1a(std::string_view bytes, std::uint64_t before = 0xcbf29ce484222325u);

/// Returns `number` as 16 hexadecimal digits.
std::string hexadecimal(std::uint64_t number);

/// Returns two hexadecimal digits for each byte.
std::string hexadecimal(std::span<const unsigned char> bytes);

}  // namespace ddlbench
