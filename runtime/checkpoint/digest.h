#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace ddlbench::runtime {

/// 64-bit FNV-1a of bytes that come in parts.
class Digest {
 public:
  void add(const void* bytes, std::size_t count);
  std::string text() const;  ///< 16 hexadecimal digits

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325u;
};

/// Of all bytes of a file. Throws InputError naming it.
std::string digest_of_file(const std::string& path);

}  // namespace ddlbench::runtime
