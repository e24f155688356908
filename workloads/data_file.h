#pragma once

#include <cstdint>
#include <string>

#include "base/input_file.h"

namespace ddlbench::workloads {

/// The most bytes of a data set that is kept in memory, and of a text: far more than published data sets of these
/// formats have.
constexpr std::int64_t most_held_bytes = std::int64_t{16} << 30;

/// A data file. Every failure throws BadData.
class DataFile : public InputFile {
 public:
  DataFile();
  explicit DataFile(const std::string& path);

  /// Returns the 64-bit FNV-1a hash of the file's bytes from byte `begin` on.
  std::uint64_t hash(std::int64_t begin = 0) const;
};

}  // namespace ddlbench::workloads
