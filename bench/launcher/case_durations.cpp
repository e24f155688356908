#include "bench/launcher/case_durations.h"

#include <algorithm>

namespace ddlbench::bench {

void CaseDurations::note(std::size_t which, double seconds) {
  const double work = which < work_.size() ? work_[which] : 0;
  ++count_;
  sum_work_ += work;
  sum_seconds_ += seconds;
  sum_squares_ += work * work;
  sum_products_ += work * seconds;
}

std::optional<double> CaseDurations::expected(std::size_t which) const {
  if (count_ == 0) return std::nullopt;
  const double mean_work = sum_work_ / count_, mean_seconds = sum_seconds_ / count_;
  if (which >= work_.size()) return mean_seconds;
  const double spread = sum_squares_ - mean_work * sum_work_;
  double slope = mean_work > 0 ? mean_seconds / mean_work : 0;  // through the origin, if all have the same work
  if (spread > 1e-9 * sum_squares_) slope = std::clamp((sum_products_ - mean_work * sum_seconds_) / spread, 0.0, slope);
  return mean_seconds + slope * (work_[which] - mean_work);
}

}  // namespace ddlbench::bench
