#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace ddlbench::bench {

/// Splits the output of a non-blocking descriptor into lines.
class LineReader {
 public:
  static constexpr std::size_t longest_line = 64 * 1024;  ///< the rest of a longer line is dropped, and the line says
                                                          ///< so
  static constexpr std::size_t most_bytes_per_turn = 1 << 20;  ///< more than a pipe holds

  explicit LineReader(int descriptor) : descriptor_(descriptor) {}
  /// Reads what is available, up to most_bytes_per_turn, so that a writer without end cannot keep the caller busy.
  /// Calls `line` for each complete line; an unterminated last line is passed on when the other side has closed.
  /// Returns the number of bytes read.
  std::size_t read(const std::function<void(const std::string&)>& line);
  bool closed() const { return closed_; }

 private:
  void take(std::string_view text, const std::function<void(const std::string&)>& line);

  int descriptor_;
  std::string rest_;  ///< of a line whose end has not arrived
  bool cut_ = false;  ///< that line was already passed on, truncated
  bool closed_ = false;
};

}  // namespace ddlbench::bench
