#pragma once

#include <cstdint>
#include <limits>
#include <string>

namespace ddlbench {

/// Whether a file may be a pipe or a device. Only InputFile::text() and bounded_text() can read these.
enum class Pipes : std::uint8_t { rejected, accepted };

/// A file open for reading at any position. Every error names the file and the reason that the system gave, also if the
/// file is truncated while it is open.
class InputFile {
 public:
  /// Throws the exception for an error with the message `what`.
  using ErrorThrower = void (*)(const std::string& what);

  /// Opens the file. Errors are thrown as InputError.
  explicit InputFile(const std::string& path, Pipes pipes = Pipes::rejected);
  /// Opens nothing yet. Errors are thrown by `throw_error`.
  explicit InputFile(ErrorThrower throw_error, Pipes pipes = Pipes::rejected)
      : throw_error_(throw_error), pipes_(pipes) {}
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  /// Closes the current file and opens another one. Allocates nothing if `path` is no longer than the longest path
  /// before.
  void open(const std::string& path);
  void close();

  const std::string& path() const { return path_; }
  std::int64_t bytes() const { return bytes_; }  ///< size when the file was opened
  int descriptor() const { return descriptor_; }
  /// Reads exactly `count` bytes, starting at byte `at`. Fails if the file ends earlier. Thread-safe.
  void read(std::int64_t at, void* to, std::int64_t count) const;
  /// Returns the whole content, or its first `most` bytes. Works for system files that report no size (/proc). For a
  /// pipe, returns what has not been read yet; fails if no program opens it for writing within 5 s, or if nothing
  /// arrives for 60 s.
  std::string text(std::int64_t most = std::numeric_limits<std::int64_t>::max()) const;
  /// Returns the whole content. Fails if it has more than `most` bytes, without reading it if its size is known; the
  /// message ends with `remedy`.
  std::string bounded_text(std::int64_t most, const std::string& remedy) const;

 private:
  [[noreturn]] void fail(const std::string& what) const;
  std::int64_t read_some(std::int64_t at, void* to, std::int64_t most) const;  ///< returns 0 at the end of the file
  bool wait_for_data(bool has_writer) const;                                   ///< returns false at the end of a pipe

  ErrorThrower throw_error_;
  Pipes pipes_;
  bool regular_ = true;
  bool pipe_ = false;
  std::string path_;
  int descriptor_ = -1;
  std::int64_t bytes_ = 0;
};

}  // namespace ddlbench
