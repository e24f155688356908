#include "runtime/checkpoint/file.h"

#include <fcntl.h>
#include <unistd.h>

#include <fmt/core.h>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

#include "base/error.h"
#include "platform/write_all.h"
#include "runtime/checkpoint/temporary.h"

namespace ddlbench::runtime {
namespace {

/// After this many bytes, data are synced to disk, so that the sync at the end does not take long.
constexpr std::size_t sync_bytes = std::size_t{64} << 20;

[[noreturn]] void fail(const std::string& path, const char* what, int error = errno) {
  throw InputError(fmt::format("{}: cannot {}: {}", path, what, std::strerror(error)));
}

void sync_folder_of(const std::string& path) {
  const auto folder = std::filesystem::path(path).parent_path();
  const int descriptor = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) fail(path, "open its folder");
  const bool synced = ::fsync(descriptor) == 0 || errno == EINVAL;  // not every file system supports fsync on folders
  const int error = errno;
  ::close(descriptor);
  if (!synced) fail(path, "sync its folder to disk", error);
}

}  // namespace

AtomicFile::AtomicFile(std::string path, Durability durability)
    : path_(std::move(path)), temporary_(temporary_of(path_)), durability_(durability) {
  remove_stale_temporaries(path_);
  descriptor_ = open_temporary(temporary_);
  if (descriptor_ < 0) fail(path_, "be written");
}

AtomicFile::~AtomicFile() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  ::unlink(temporary_.c_str());
}

void AtomicFile::write(const void* bytes, std::size_t count) {
  unsynced_ += count;
  if (!platform::write_all(descriptor_, {static_cast<const char*>(bytes), count})) fail(path_, "be written");
  if (durability_ != Durability::power || unsynced_ < sync_bytes) return;
  if (::fdatasync(descriptor_) != 0) fail(path_, "be synced to disk");
  unsynced_ = 0;
}

void AtomicFile::overwrite(std::int64_t at, const void* bytes, std::size_t count) {
  const ssize_t put = ::pwrite(descriptor_, bytes, count, at);
  if (put < 0) fail(path_, "be written");
  require(static_cast<std::size_t>(put) == count, "some bytes in a file are overwritten at once");
}

void AtomicFile::sync() {
  if (durability_ == Durability::power && ::fsync(descriptor_) != 0) fail(path_, "be synced to disk");
}

void AtomicFile::commit() {
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) fail(path_, "be replaced");
  ::close(std::exchange(descriptor_, -1));
  if (durability_ == Durability::power) sync_folder_of(path_);
}

}  // namespace ddlbench::runtime
