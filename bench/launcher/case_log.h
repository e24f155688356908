#pragma once

#include <cstdint>
#include <ostream>
#include <string>

namespace ddlbench::bench {

/// Writes a case's output other than messages to a log, line by line, up to a limit. Then one line says that the rest
/// is dropped.
class CaseLog {
 public:
  static constexpr std::int64_t most_bytes = std::int64_t{64} << 20;

  explicit CaseLog(std::ostream& out, std::int64_t limit_bytes = most_bytes) : out_(out), limit_bytes_(limit_bytes) {}
  void add(const std::string& line);
  void flush() { out_.flush(); }

 private:
  std::ostream& out_;
  std::int64_t limit_bytes_;
  std::int64_t bytes_ = 0;
  bool full_ = false;
};

}  // namespace ddlbench::bench
