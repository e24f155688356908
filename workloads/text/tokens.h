#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "workloads/text/mapped_file.h"

namespace ddlbench::workloads {

/// A text as numbers, in memory or in a mapped file.
class Tokens {
 public:
  /// Each byte of a file.
  explicit Tokens(std::shared_ptr<const MappedFile> file);
  explicit Tokens(std::vector<std::int32_t> tokens);
  /// `count` unsigned numbers of 2 or 4 bytes, little-endian, from byte `begin` of a file on.
  Tokens(std::shared_ptr<const MappedFile> file, std::size_t begin, std::int64_t count, int width);

  std::int64_t size() const { return size_; }
  /// Copies the tokens first … first + count − 1.
  void copy(std::int64_t first, std::int64_t count, std::int32_t* to) const;

 private:
  std::shared_ptr<const void> holder_;
  const void* data_ = nullptr;
  std::int64_t size_ = 0;
  int width_ = 0;
};

}  // namespace ddlbench::workloads
