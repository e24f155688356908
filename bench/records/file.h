#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ddlbench::bench {

/// An open file, which the destructor closes.
class File {
 public:
  /// Opens `path` with `flags` and `mode` as open(2) does, and with O_CLOEXEC. Throws InputError with the path and the
  /// system's reason.
  File(const std::string& path, int flags, int mode = 0644);
  ~File();
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  /// Reads at most `bytes` at the position `at`, and returns how many; 0 at the end of the file.
  std::size_t read(std::int64_t at, char* to, std::size_t bytes) const;
  void write(std::string_view text);  ///< writes all of it
  void truncate(std::int64_t bytes);
  void sync();                                ///< returns when the data are on disk
  bool is_at(const std::string& path) const;  ///< returns whether the path names this file at present
  int descriptor() const { return descriptor_; }

 private:
  [[noreturn]] void fail(const char* what) const;

  std::string path_;
  int descriptor_;
};

/// Returns the whole text of a regular file of results. Throws InputError, also if it has more than 64 MiB.
std::string read_file(const std::string& path);

/// Replaces a file as a whole (runtime::NewFile): a reader sees the old text or the new one, even after a power
/// failure. A device or a pipe is written to instead. Throws InputError.
void write_file_atomically(const std::string& path, std::string_view text);

/// Likewise replaces what follows the first `kept` bytes of a regular file. Throws InputError if it has fewer.
void replace_after(const std::string& path, std::int64_t kept, std::string_view text);

/// Throws InputError if write_file_atomically() would fail, as far as this can be known in advance.
void require_writable(const std::string& path);

}  // namespace ddlbench::bench
