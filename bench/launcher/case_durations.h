#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>

namespace ddlbench::bench {

/// Expects how long cases take, from those that have ended: a line through their times as a function of their work,
/// with neither a negative slope nor a negative offset.
class CaseDurations {
 public:
  /// `work`: of each case, by id, in FLOPs. A case without an entry has the mean work of those that have ended.
  explicit CaseDurations(std::map<std::string, double> work) : work_(std::move(work)) {}

  void note(const std::string& case_id, double seconds);
  /// Returns nothing until a case has ended.
  std::optional<double> expected(const std::string& case_id) const;

 private:
  std::map<std::string, double> work_;
  double count_ = 0, sum_work_ = 0, sum_seconds_ = 0, sum_squares_ = 0, sum_products_ = 0;
};

}  // namespace ddlbench::bench
