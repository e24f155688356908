#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "bench/records/record.h"

namespace ddlbench::bench {

/// A round in which all visits run at once, in time slices, visits each case once. Other rounds visit it twice: in a
/// random order of all cases, and in the reverse order.
inline constexpr int visits_in_order = 2;

/// One of the things that take turns: a case, or the second copy of the baseline.
struct Turn {
  std::string case_id;
  bool control = false;
  auto operator<=>(const Turn&) const = default;
};

/// The step times of visits, by round.
class Rounds {
 public:
  Rounds() = default;
  explicit Rounds(const std::vector<VisitRecord>& visits);

  bool empty() const { return times_.empty(); }
  /// Returns the mean logarithm of the step times of a turn's visits in each of its complete rounds: those in which all
  /// visits ended with a step time.
  std::map<int, double> log_seconds(const Turn& turn) const;
  /// Returns the same without the numbers of the rounds.
  std::vector<double> log_times(const Turn& turn) const;
  /// Returns the natural logarithm of the time of `b` over that of `a` for each round that is complete for both:
  /// positive where a is faster.
  std::vector<double> log_ratios(const Turn& a, const Turn& b) const;

 private:
  int visits_of(int round) const { return in_order_.contains(round) ? visits_in_order : 1; }

  std::map<Turn, std::map<int, std::vector<double>>> times_;  ///< by round
  std::set<int> in_order_;                                    ///< rounds in which a visit ran alone
};

}  // namespace ddlbench::bench
