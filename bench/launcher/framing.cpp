#include <limits.h>

#include <fmt/core.h>
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <string_view>
#include <system_error>

#include "base/error.h"
#include "bench/launcher/messages.h"
#include "platform/write_all.h"

namespace ddlbench::bench {
namespace {

// "@ddlbench RANK + part" or, the last one, "@ddlbench RANK . part"
constexpr std::string_view mark = "@ddlbench ";
constexpr std::size_t longest_part = PIPE_BUF - 64;
/// The limit of unfinished messages. A message has a few kilobytes.
constexpr std::size_t most_held_bytes = std::size_t{16} << 20;

}  // namespace

std::vector<std::string> frame(int rank, const Message& message) {
  const std::string text = encode(message);
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size(); begin += longest_part) {
    const bool last = begin + longest_part >= text.size();
    lines.push_back(fmt::format("{}{}{}{}\n", mark, rank, last ? " . " : " + ", text.substr(begin, longest_part)));
  }
  return lines;
}

bool Unframer::is_framed(const std::string& line) {
  return line.starts_with(mark);
}

std::optional<Unframer::ReceivedMessage> Unframer::take(const std::string& line) {
  require(is_framed(line), "not a framed line");
  int rank = 0;
  const char* end = line.data() + line.size();
  const auto [rest, error] = std::from_chars(line.data() + mark.size(), end, rank);
  const std::string_view kind(rest, static_cast<std::size_t>(std::min<std::ptrdiff_t>(end - rest, 3)));
  const bool last = kind == " . ";
  if (error != std::errc{} || rank < 0 || (!last && kind != " + ")) {
    throw ContractError("not a message: \"" + line.substr(0, 80) + "\"");
  }
  std::string& parts = parts_[rank];
  parts.append(rest + 3, end);
  held_bytes_ += static_cast<std::size_t>(end - rest) - 3;
  if (!last && held_bytes_ > most_held_bytes) {
    throw ContractError(fmt::format("messages of more than {} bytes have no end", most_held_bytes));
  }
  if (!last) return std::nullopt;
  const std::string whole = std::move(parts);
  held_bytes_ -= whole.size();
  parts_.erase(rank);
  return ReceivedMessage{rank, decode(whole)};
}

void write_message(int descriptor, int rank, const Message& message) {
  for (const std::string& line : frame(rank, message)) {
    if (!platform::write_all(descriptor, line))
      throw std::system_error(errno, std::generic_category(), "sending a message");
  }
}

}  // namespace ddlbench::bench
