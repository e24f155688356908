#include "bench/launcher/case_durations.h"

#include <algorithm>

namespace ddlbench::bench {

void CaseDurations::note(const std::string& case_id, double seconds) {
  const auto found = work_.find(case_id);
  const double mean = count_ > 0 ? sum_work_ / count_ : 0;
  const double work = found == work_.end() ? mean : found->second;
  ++count_;
  sum_work_ += work;
  sum_seconds_ += seconds;
  sum_squares_ += work * work;
  sum_products_ += work * seconds;
}

void CaseDurations::Cases::add(const Cases& others, int times) {
  with_work += times * others.with_work;
  without_work += times * others.without_work;
  work += times * others.work;
}

CaseDurations::Cases CaseDurations::one(const std::string& case_id) const {
  const auto found = work_.find(case_id);
  return found == work_.end() ? Cases{0, 1, 0} : Cases{1, 0, found->second};
}

std::optional<double> CaseDurations::expected(const Cases& cases) const {
  if (count_ == 0) return std::nullopt;
  const double mean_work = sum_work_ / count_, mean_seconds = sum_seconds_ / count_;
  const double spread = sum_squares_ - mean_work * sum_work_;
  double slope = mean_work > 0 ? mean_seconds / mean_work : 0;  // through the origin, if all have the same work
  if (spread > 1e-9 * sum_squares_) slope = std::clamp((sum_products_ - mean_work * sum_seconds_) / spread, 0.0, slope);
  const double additional_work = cases.work - cases.with_work * mean_work;
  return (cases.with_work + cases.without_work) * mean_seconds + slope * additional_work;
}

}  // namespace ddlbench::bench
