#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bench/records/rounds.h"
#include "bench/statistics/verdict.h"

namespace ddlbench::bench {

/// Which cases of a contract are faster than which, from rounds in which they took turns. All pairs count for Holm's
/// correction.
class PairedVerdicts {
 public:
  /// `precision` is the smallest difference of interest, as a ratio: 0.01. Cases without a complete round are not
  /// comparable.
  PairedVerdicts(const Rounds& rounds, const std::vector<std::string>& case_ids, double precision, std::uint64_t seed);

  bool contains(const std::string& case_id) const { return places_.contains(case_id); }
  /// Returns the ratio of b's time to a's, over the rounds; nothing if they share no complete round.
  std::optional<Interval> ratio(const std::string& a, const std::string& b) const;
  /// Returns whether a is faster than b.
  Verdict verdict(const std::string& a, const std::string& b) const;
  /// Returns the ratio of the baseline's two copies; nothing if there are none.
  const std::optional<Interval>& control() const { return control_; }
  /// Returns the difference that has to be exceeded for a claim, as a ratio less 1: the larger of `precision` and of
  /// what the interval of the baseline's two copies reaches.
  double margin() const;
  /// Returns the largest difference that counts as equal, as a ratio less 1.
  double precision() const;

 private:
  struct Pair {
    std::optional<TimeComparison> comparison;
    double adjusted_p = 1;
  };
  const Pair& pair(std::size_t a, std::size_t b) const { return pairs_[a * places_.size() + b]; }
  Pair& pair(std::size_t a, std::size_t b) { return pairs_[a * places_.size() + b]; }

  std::map<std::string, std::size_t> places_;
  std::vector<Pair> pairs_;  ///< of each two cases in both directions
  std::optional<Interval> control_;
  LogMargins margins_;
};

}  // namespace ddlbench::bench
