#include "base/input_file.h"

#include <fcntl.h>
#include <poll.h>
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
  descriptor_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor_ < 0) fail(std::string("cannot be opened: ") + std::strerror(errno));
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) fail(std::string("cannot be examined: ") + std::strerror(errno));
  if (S_ISDIR(status.st_mode)) fail("is a folder, not a file");
  regular_ = S_ISREG(status.st_mode);
  pipe_ = S_ISFIFO(status.st_mode);
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
    const bool waits_for_writer = pipe_ && got == 0 && at == 0;
    if (got >= 0 && !waits_for_writer) return got;
    if (waits_for_writer || errno == EAGAIN) {
      if (!wait_for_data(!waits_for_writer)) return 0;
    } else if (errno != EINTR) {
      fail(std::string("cannot be read: ") + std::strerror(errno));
    }
  }
}

bool InputFile::wait_for_data(bool has_writer) const {
  constexpr int seconds_to_open = 5, seconds_to_write = 60;
  const int seconds = has_writer ? seconds_to_write : seconds_to_open;
  pollfd waiting{descriptor_, POLLIN, 0};
  const int ready = ::poll(&waiting, 1, pipe_ ? 1000 * seconds : -1);
  if (ready == 0 && has_writer) fail(fmt::format("is a pipe into which nothing was written for {} s", seconds));
  if (ready == 0) fail(fmt::format("is a pipe that no program has opened for writing within {} s", seconds));
  return ready < 0 || (waiting.revents & POLLIN) != 0;
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

std::string InputFile::bounded_text(std::int64_t most, const std::string& remedy) const {
  std::string all = bytes_ > most ? "" : text(most + 1);
  if (bytes_ > most || static_cast<std::int64_t>(all.size()) > most)
    fail(fmt::format("is larger than the {} bytes that it may have; {}", most, remedy));
  return all;
}

}  // namespace ddlbench
