#include "runtime/checkpoint/digest.h"

#include <algorithm>
#include <vector>

#include "runtime/checkpoint/file.h"

namespace ddlbench::runtime {

void Digest::add(const void* bytes, std::size_t count) {
  const auto* byte = static_cast<const unsigned char*>(bytes);
  for (std::size_t i = 0; i < count; ++i) hash_ = (hash_ ^ byte[i]) * 0x100000001b3u;
}

std::string Digest::text() const {
  std::string digits(16, '0');
  std::uint64_t rest = hash_;
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit, rest >>= 4)
    *digit = "0123456789abcdef"[rest & 15];
  return digits;
}

std::string digest_of_file(const std::string& path) {
  const InputFile file(path);
  std::vector<std::byte> block(static_cast<std::size_t>(std::min<std::int64_t>(file.bytes(), 1 << 20)));
  Digest digest;
  for (std::int64_t at = 0; at < file.bytes();) {
    const std::int64_t count = std::min(file.bytes() - at, static_cast<std::int64_t>(block.size()));
    file.read(at, block.data(), count);
    digest.add(block.data(), static_cast<std::size_t>(count));
    at += count;
  }
  return digest.text();
}

}  // namespace ddlbench::runtime
