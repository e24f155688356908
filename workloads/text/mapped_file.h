#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ddlbench::workloads {

/// A whole file in memory, page by page as it is looked at. Whoever shortens it meanwhile ends the process.
class MappedFile {
 public:
  /// Throws BadData: the file is missing, unreadable, empty, or not a regular one.
  explicit MappedFile(const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::string_view text() const { return {data_, size_}; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  const char* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace ddlbench::workloads
