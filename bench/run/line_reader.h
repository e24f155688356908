#pragma once

#include <functional>
#include <string>

namespace ddlbench::bench {

/// Cuts what comes out of a non-blocking descriptor into lines.
class LineReader {
 public:
  explicit LineReader(int descriptor) : descriptor_(descriptor) {}
  /// Takes all that is there now, and calls `line` for each whole line. A last line without an end is
  /// given when the other side has closed.
  void read(const std::function<void(const std::string&)>& line);
  bool closed() const { return closed_; }

 private:
  int descriptor_;
  std::string rest_;
  bool closed_ = false;
};

}  // namespace ddlbench::bench
