#include "bench/launcher/case_durations.h"

#include <algorithm>

namespace ddlbench::bench {

void CaseDurations::note(const std::string& case_id, double seconds) {
  const auto found = work_.find(case_id);
  const double work = found == work_.end() ? 0 : found->second;
  ++count_;
  sum_work_ += work;
  sum_seconds_ += seconds;
  sum_squares_ += work * work;
  sum_products_ += work * seconds;
}

std::optional<double> CaseDurations::expected(const std::string& case_id) const {
  if (count_ == 0) return std::nullopt;
  const double mean_work = sum_work_ / count_, mean_seconds = sum_seconds_ / count_;
  const auto found = work_.find(case_id);
  if (found == work_.end()) return mean_seconds;
  const double spread = sum_squares_ - mean_work * sum_work_;
  double slope = mean_work > 0 ? mean_seconds / mean_work : 0;  // through the origin, if all have the same work
  if (spread > 1e-9 * sum_squares_) slope = std::clamp((sum_products_ - mean_work * sum_seconds_) / spread, 0.0, slope);
  return mean_seconds + slope * (found->second - mean_work);
}

}  // namespace ddlbench::bench
