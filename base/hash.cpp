#include "base/hash.h"

#include <fmt/core.h>

namespace ddlbench {

std::uint64_t fnv1a(std::string_view bytes, std::uint64_t before) {
  std::uint64_t hash = before;
  for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3u;
  return hash;
}

std::string hexadecimal(std::uint64_t number) {
  return fmt::format("{:016x}", number);
}

std::string hexadecimal(std::span<const unsigned char> bytes) {
  std::string digits;
  for (const unsigned char byte : bytes) digits += fmt::format("{:02x}", byte);
  return digits;
}

}  // namespace ddlbench
