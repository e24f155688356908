#include "base/input_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/core.h>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/error.h"

namespace ddlbench {
namespace {

void throw_input_error(const std::string& what) {
  throw InputError(what);
}

}  // namespace

InputFile::InputFile(const std::string& path, Pipes pipes) : InputFile(throw_input_error, pipes) {
  open(path);
}

InputFile::~InputFile() {
  close();
}

void InputFile::open(const std::string& path) {
  close();
  path_ = path;
  const int at_once = pipes_ == Pipes::rejected ? O_NONBLOCK : 0;
  descriptor_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | at_once);
  if (descriptor_ < 0) fail(std::string("cannot be opened: ") + std::strerror(errno));
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) fail(std::string("cannot be examined: ") + std::strerror(errno));
  if (S_ISDIR(status.st_mode)) fail("is a folder, not a file");
  regular_ = S_ISREG(status.st_mode);
  if (!regular_ && pipes_ == Pipes::rejected) fail("is not a regular file");
  bytes_ = status.st_size;
}

void InputFile::close() {
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
}

void InputFile::fail(const std::string& what) const {
  throw_error_(fmt::format("{}: {}", path_, what));
  throw ContractError(fmt::format("an error in '{}' was not thrown: {}", path_, what));
}

std::int64_t InputFile::read_some(std::int64_t at, void* to, std::int64_t most) const {
  for (;;) {
    const auto size = static_cast<std::size_t>(most);
    const ssize_t got = regular_ ? ::pread(descriptor_, to, size, at) : ::read(descriptor_, to, size);
    if (got >= 0) return got;
    if (errno != EINTR) fail(std::string("cannot be read: ") + std::strerror(errno));
  }
}

void InputFile::read(std::int64_t at, void* to, std::int64_t count) const {
  auto* place = static_cast<char*>(to);
  while (count > 0) {
    const std::int64_t got = read_some(at, place, count);
    if (got == 0) fail(fmt::format("was truncated at byte {} while it was read", at));
    place += got;
    at += got;
    count -= got;
  }
}

std::string InputFile::text(std::int64_t most) const {
  constexpr std::int64_t least = 4096;
  std::string text;
  std::int64_t done = 0, room = std::max(bytes_ + 1, least);
  for (; done < most; room = 2 * done) {
    text.resize(static_cast<std::size_t>(std::min(room, most)));
    const std::int64_t got = read_some(done, text.data() + done, static_cast<std::int64_t>(text.size()) - done);
    if (got == 0) break;
    done += got;
  }
  text.resize(static_cast<std::size_t>(done));
  return text;
}

}  // namespace ddlbench
