#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "workloads/data_file.h"

namespace ddlbench::workloads {

/// A text as tokens, in memory or in a file.
class Tokens {
 public:
  /// Each byte of the file is a token.
  explicit Tokens(std::shared_ptr<const DataFile> file);
  explicit Tokens(std::vector<std::int32_t> tokens);
  /// `count` unsigned numbers of `width` 2 or 4 bytes, little-endian, from byte `begin` of the file on.
  Tokens(std::shared_ptr<const DataFile> file, std::int64_t begin, std::int64_t count, int width);

  std::int64_t size() const { return size_; }
  /// Copies tokens first … first + count − 1 to `to`. Thread-safe. Throws BadData where the file cannot be read any
  /// more, for example because it was truncated in the meantime.
  void copy(std::int64_t first, std::int64_t count, std::int32_t* to) const;

 private:
  std::shared_ptr<const DataFile> file_;  ///< null: the tokens are in memory
  std::shared_ptr<const std::vector<std::int32_t>> held_;
  std::int64_t begin_ = 0;  ///< of the first token in the file, in bytes
  std::int64_t size_ = 0;
  int width_ = 0;  ///< of a token in the file
};

}  // namespace ddlbench::workloads
