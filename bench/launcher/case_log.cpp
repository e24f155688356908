#include "bench/launcher/case_log.h"

namespace ddlbench::bench {

void CaseLog::add(const std::string& line) {
  if (full_) return;
  bytes_ += static_cast<std::int64_t>(line.size()) + 1;
  full_ = bytes_ > limit_bytes_;
  if (full_) {
    out_ << "ddlbench: the rest is dropped: a case's log is limited to " << limit_bytes_ << " bytes\n";
  } else {
    out_ << line << '\n';
  }
}

}  // namespace ddlbench::bench
