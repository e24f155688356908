#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ddlbench::bench {

/// An open file; closed at the end of its life.
class File {
 public:
  /// `flags` and `mode` as of open(2); close-on-exec. Throws InputError naming the path and the system's reason.
  File(const std::string& path, int flags, int mode = 0644);
  ~File();
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  void write(std::string_view text);  ///< all of it
  void truncate(std::int64_t bytes);
  void sync();                                ///< returns when it is on the disk
  bool is_at(const std::string& path) const;  ///< whether this file is what the path names at present
  int descriptor() const { return descriptor_; }

 private:
  [[noreturn]] void fail(const char* what) const;

  std::string path_;
  int descriptor_;
};

/// The whole text of an ordinary file. Throws InputError.
std::string read_file(const std::string& path);

/// Replaces a file as a whole (runtime::NewFile): a reader sees the old text or the new one, also after a loss of
/// power.
void write_file_atomically(const std::string& path, std::string_view text);

/// Whether that could be done, as far as can be told before. Throws InputError.
void require_writable(const std::string& path);

}  // namespace ddlbench::bench
