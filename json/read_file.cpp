#include "json/read_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "graph/error.h"

namespace ddlbench::json {
namespace {

[[noreturn]] void fail(const std::string& file, const char* what) {
  throw InputError(file + ": cannot be " + what + ": " + std::strerror(errno));
}

struct Descriptor {
  explicit Descriptor(const std::string& file) : number(::open(file.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (number < 0) fail(file, "opened");
  }
  ~Descriptor() { ::close(number); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number;
};

}  // namespace

std::string read_file(const std::string& file) {
  constexpr std::size_t block = std::size_t{1} << 16;
  const Descriptor descriptor(file);
  std::string text;
  while (text.size() <= most_file_bytes) {
    const std::size_t before = text.size(), most = std::min(block, most_file_bytes + 1 - before);
    text.resize(before + most);
    const ssize_t count = ::read(descriptor.number, text.data() + before, most);
    text.resize(before + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    if (count == 0) return text;
    if (count < 0 && errno != EINTR) fail(file, "read");
  }
  throw InputError(file + ": is larger than the " + std::to_string(most_file_bytes) +
                   " bytes that a file in JSON may have; split what it describes");
}

}  // namespace ddlbench::json
