#pragma once

#include <cstdint>
#include <limits>
#include <string>

namespace ddlbench {

/// Whether a file may be a FIFO, which waits for a writer, or a device; only InputFile::text() reads these.
enum class Pipes : std::uint8_t { refused, accepted };

/// A file that is read in places. Every failure names the file and the system's reason; also where the file is
/// shortened while it is open.
class InputFile {
 public:
  /// Throws what a failure is to be.
  using Refuse = void (*)(const std::string& what);

  /// Throws InputError.
  explicit InputFile(const std::string& path, Pipes pipes = Pipes::refused);
  /// Nothing is open yet.
  explicit InputFile(Refuse refuse, Pipes pipes = Pipes::refused) : refuse_(refuse), pipes_(pipes) {}
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  /// Instead of what was open. Allocates nothing for a path that is no longer than one before.
  void open(const std::string& path);
  void close();

  const std::string& path() const { return path_; }
  std::int64_t bytes() const { return bytes_; }  ///< that it had when it was opened
  int descriptor() const { return descriptor_; }
  /// `count` bytes from byte `at` on, all of them. Thread-safe.
  void read(std::int64_t at, void* to, std::int64_t count) const;
  /// All of it, or its first `most` bytes; also of a file of the system that tells no size. Of a pipe, what is left.
  std::string text(std::int64_t most = std::numeric_limits<std::int64_t>::max()) const;

 private:
  [[noreturn]] void fail(const std::string& what) const;
  std::int64_t read_some(std::int64_t at, void* to, std::int64_t most) const;  ///< 0: the end

  Refuse refuse_;
  Pipes pipes_;
  bool regular_ = true;
  std::string path_;
  int descriptor_ = -1;
  std::int64_t bytes_ = 0;
};

}  // namespace ddlbench
