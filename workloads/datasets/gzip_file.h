#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "workloads/data_file.h"

namespace ddlbench::workloads {

/// A file that is read from its beginning, plain or gzip: what begins with gzip's magic is unpacked.
class GzipFile {
 public:
  /// Throws BadData if the file cannot be opened.
  explicit GzipFile(const std::string& path);
  ~GzipFile();

  /// Reads up to `bytes` bytes and returns how many; fewer only at the end of the file. Throws BadData: unreadable,
  /// truncated or corrupt gzip data. Members that follow each other are one file; what follows the last is ignored.
  std::size_t read(std::uint8_t* to, std::size_t bytes);

  /// Returns the size of the file as it is, packed or not.
  std::int64_t file_bytes() const { return file_.bytes(); }

 private:
  struct Inflater;

  std::size_t read_plain(std::uint8_t* to, std::size_t bytes);
  /// Unpacks some bytes, at least one unless the data end.
  std::size_t inflate(std::uint8_t* to, std::size_t bytes);
  /// Gives the inflater the next bytes of the file if it has none. Returns false at the end of the file.
  bool feed();
  /// Returns whether another member follows, and prepares for it.
  bool next_member();

  DataFile file_;
  std::int64_t position_ = 0;  ///< in the file
  std::size_t unpacked_ = 0;
  std::unique_ptr<Inflater> inflater_;  ///< nothing if the file is plain
};

}  // namespace ddlbench::workloads
