#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace ddlbench::bench {

/// Expects how long cases take, from those that have ended: a line through their times as a function of their work,
/// with neither a negative slope nor a negative offset.
class CaseDurations {
 public:
  /// `work`: of each case, in FLOPs. A case without an entry has the mean work of those that have ended.
  explicit CaseDurations(std::vector<double> work) : work_(std::move(work)) {}

  void note(std::size_t which, double seconds);
  /// Returns nothing until a case has ended.
  std::optional<double> expected(std::size_t which) const;

 private:
  std::vector<double> work_;
  double count_ = 0, sum_work_ = 0, sum_seconds_ = 0, sum_squares_ = 0, sum_products_ = 0;
};

}  // namespace ddlbench::bench
