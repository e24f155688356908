#include "bench/records/rounds.h"

#include <cmath>
#include <iterator>

#include "bench/statistics/paired_differences.h"

namespace ddlbench::bench {

Rounds::Rounds(const std::vector<VisitRecord>& visits) {
  for (const VisitRecord& visit : visits) {
    if (!visit.time_slice_seconds) in_order_.insert(visit.round);
    if (visit.status == Status::ok && visit.step_seconds > 0)
      times_[{visit.case_id, visit.control}][visit.round].push_back(visit.step_seconds);
  }
}

std::map<int, double> Rounds::log_seconds(const Turn& turn) const {
  std::map<int, double> result;
  const auto found = times_.find(turn);
  if (found == times_.end()) return result;
  for (const auto& [round, seconds] : found->second) {
    const int visits = visits_of(round);
    if (std::ssize(seconds) != visits) continue;
    for (const double one : seconds) result[round] += std::log(one) / visits;
  }
  return result;
}

std::vector<double> Rounds::log_times(const Turn& turn) const {
  std::vector<double> times;
  for (const auto& [round, seconds] : log_seconds(turn)) times.push_back(seconds);
  return times;
}

std::vector<double> Rounds::log_ratios(const Turn& a, const Turn& b) const {
  return paired_differences(log_seconds(b), log_seconds(a));
}

}  // namespace ddlbench::bench
