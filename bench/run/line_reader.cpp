#include "bench/run/line_reader.h"

#include <unistd.h>

#include <array>
#include <cerrno>

namespace ddlbench::bench {

void LineReader::read(const std::function<void(const std::string&)>& line) {
  std::array<char, 16384> block;
  while (!closed_) {
    const ssize_t count = ::read(descriptor_, block.data(), block.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    if (count <= 0) {
      closed_ = true;
      if (!rest_.empty()) line(rest_);
      rest_.clear();
      return;
    }
    rest_.append(block.data(), static_cast<std::size_t>(count));
    std::size_t begin = 0;
    for (auto end = rest_.find('\n'); end != std::string::npos; end = rest_.find('\n', begin)) {
      line(rest_.substr(begin, end - begin));
      begin = end + 1;
    }
    rest_.erase(0, begin);
  }
}

}  // namespace ddlbench::bench
