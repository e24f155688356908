#include "base/hash.h"

namespace ddlbench {

std::uint64_t fnv1a(std::string_view bytes, std::uint64_t before) {
  std::uint64_t hash = before;
  for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3u;
  return hash;
}

std::string hexadecimal(std::uint64_t number) {
  std::string digits(16, '0');
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit, number >>= 4)
    *digit = "0123456789abcdef"[number & 15];
  return digits;
}

}  // namespace ddlbench
