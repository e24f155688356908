#include "bench/records/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/core.h>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <vector>

#include "base/error.h"
#include "base/input_file.h"
#include "platform/write_all.h"
#include "runtime/checkpoint/file.h"

namespace ddlbench::bench {

namespace {

[[noreturn]] void fail_on(const std::string& path, const char* what) {
  throw InputError(fmt::format("{}: cannot {}: {}", path, what, std::strerror(errno)));
}

/// Returns the path of the file itself where `path` is a symbolic link to it.
std::string without_link(const std::string& path) {
  std::error_code none;
  return std::filesystem::is_symlink(path, none) ? std::filesystem::weakly_canonical(path).string() : path;
}

}  // namespace

File::File(const std::string& path, int flags, int mode)
    : path_(path), descriptor_(::open(path.c_str(), flags | O_CLOEXEC, mode)) {
  if (descriptor_ < 0) fail("be opened");
}

File::~File() {
  ::close(descriptor_);
}

void File::fail(const char* what) const {
  fail_on(path_, what);
}

std::size_t File::read(std::int64_t at, char* to, std::size_t bytes) const {
  ssize_t got = 0;
  do got = ::pread(descriptor_, to, bytes, at);
  while (got < 0 && errno == EINTR);
  if (got < 0) fail("be read");
  return static_cast<std::size_t>(got);
}

void File::write(std::string_view text) {
  if (!platform::write_all(descriptor_, text)) fail("be written");
}

void File::truncate(std::int64_t bytes) {
  if (::ftruncate(descriptor_, bytes) != 0) fail("be truncated");
}

void File::sync() {
  // A pipe or a device has nothing to sync.
  if (::fsync(descriptor_) != 0 && errno != EINVAL && errno != EROFS) fail("be synced to disk");
}

bool File::is_at(const std::string& path) const {
  struct stat own {};
  struct stat there {};
  return ::fstat(descriptor_, &own) == 0 && ::lstat(path.c_str(), &there) == 0 && own.st_ino == there.st_ino &&
         own.st_dev == there.st_dev;
}

std::string read_file(const std::string& path) {
  return InputFile(path).bounded_text(std::int64_t{64} << 20, "ddlbench writes no such file of results");
}

void write_file_atomically(const std::string& named, std::string_view text) {
  std::error_code none;
  const std::string path = without_link(named);
  if (std::filesystem::exists(path, none) && !std::filesystem::is_regular_file(path, none) &&
      !std::filesystem::is_directory(path, none)) {
    File(path, O_WRONLY).write(text);  // a device or a pipe has no contents to protect
    return;
  }
  runtime::AtomicFile file(path);
  file.write(text.data(), text.size());
  file.sync();
  file.commit();
}

void replace_after(const std::string& named, std::int64_t kept, std::string_view text) {
  const std::string path = without_link(named);
  const File old(path, O_RDONLY);
  runtime::AtomicFile file(path);
  std::vector<char> block(std::size_t{1} << 16);
  for (std::int64_t at = 0; at < kept;) {
    const auto wanted = std::min(static_cast<std::int64_t>(block.size()), kept - at);
    const std::size_t got = old.read(at, block.data(), static_cast<std::size_t>(wanted));
    if (got == 0) throw InputError(path + ": was shortened by another program");
    file.write(block.data(), got);
    at += static_cast<std::int64_t>(got);
  }
  file.write(text.data(), text.size());
  file.sync();
  file.commit();
}

void require_writable(const std::string& named) {
  std::error_code none;
  const std::filesystem::path path = without_link(named);
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  if (path.filename().empty() || std::filesystem::is_directory(path, none))
    throw InputError(named + ": is a folder; name a file");
  const bool is_file = !std::filesystem::exists(path, none) || std::filesystem::is_regular_file(path, none);
  if (::access(is_file ? folder.c_str() : path.c_str(), is_file ? W_OK | X_OK : W_OK) != 0)
    fail_on(named, "be written");
  if (is_file && !std::filesystem::is_directory(folder, none))
    throw InputError(fmt::format("{}: {} is not a folder", named, folder.string()));
}

}  // namespace ddlbench::bench
