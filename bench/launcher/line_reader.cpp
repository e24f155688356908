#include "bench/launcher/line_reader.h"

#include <unistd.h>

#include <fmt/core.h>
#include <array>
#include <cerrno>

namespace ddlbench::bench {

std::size_t LineReader::read(const std::function<void(const std::string&)>& line) {
  std::array<char, 16384> block;
  std::size_t taken = 0;
  while (!closed_ && taken < most_bytes_per_turn) {
    const ssize_t count = ::read(descriptor_, block.data(), block.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
    if (count <= 0) {
      closed_ = true;
      if (!rest_.empty()) line(rest_);
      rest_.clear();
      break;
    }
    taken += static_cast<std::size_t>(count);
    take({block.data(), static_cast<std::size_t>(count)}, line);
  }
  return taken;
}

void LineReader::take(std::string_view text, const std::function<void(const std::string&)>& line) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view part = text.substr(0, end);
    if (!cut_) rest_.append(part.substr(0, longest_line - rest_.size() + 1));
    if (rest_.size() > longest_line) {
      rest_.resize(longest_line);
      line(fmt::format("{} [cut: a line of more than {} bytes]", rest_, longest_line));
      rest_.clear();
      cut_ = true;
    }
    if (end == std::string_view::npos) return;
    if (!cut_) line(rest_);
    rest_.clear();
    cut_ = false;
    text.remove_prefix(end + 1);
  }
}

}  // namespace ddlbench::bench
