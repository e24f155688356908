#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace ddlbench::bench {

/// Cuts what comes out of a non-blocking descriptor into lines.
class LineReader {
 public:
  static constexpr std::size_t longest_line = 64 * 1024;  ///< what a line has beyond is dropped, and the line says so
  static constexpr std::size_t most_bytes_per_turn = 1 << 20;  ///< more than a pipe holds

  explicit LineReader(int descriptor) : descriptor_(descriptor) {}
  /// Takes what is there now, up to a turn's share, so that whoever writes without end keeps nobody busy, and calls
  /// `line` for each whole line. A last line without an end is given when the other side has closed. Returns how many
  /// bytes it took.
  std::size_t read(const std::function<void(const std::string&)>& line);
  bool closed() const { return closed_; }

 private:
  void take(std::string_view text, const std::function<void(const std::string&)>& line);

  int descriptor_;
  std::string rest_;  ///< of a line whose end has not come
  bool cut_ = false;  ///< that line was given already, without what it has too much
  bool closed_ = false;
};

}  // namespace ddlbench::bench
