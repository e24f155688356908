#pragma once

#include <cstdint>
#include <string>

#include "base/input_file.h"

namespace ddlbench::workloads {

/// A data file. Every failure throws BadData.
class DataFile : public InputFile {
 public:
  DataFile();
  explicit DataFile(const std::string& path);

  /// Returns the 64-bit FNV-1a hash of the file's bytes from byte `begin` on.
  std::uint64_t hash(std::int64_t begin = 0) const;
};

}  // namespace ddlbench::workloads
