#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "bench/compare/compared_cases.h"
#include "bench/compare/contestant.h"

namespace ddlbench::bench {

/// When the rounds end.
struct RoundLimits {
  std::optional<int> rounds;  ///< after this number; otherwise as precision and time say
  double max_seconds = 300;   ///< a round that would take longer is not started, but there are at least two
  double margin = 0.02;       ///< from four rounds on, the intervals may be at most ± half of it
};

/// Two contestants take turns in rounds, in the order A B B A or B A A B, at random. A visit is a whole run of one of
/// them. So what affects a round affects both, and the ratios of the rounds tell which is faster. Both first run once
/// to verify their cases; those runs also give memory and accuracy.
class InterleavedRuns {
 public:
  InterleavedRuns(ContestantRuns old_runs, ContestantRuns new_runs, RoundLimits limits, std::ostream& notes);

  InterleavedRuns(const InterleavedRuns&) = delete;
  InterleavedRuns& operator=(const InterleavedRuns&) = delete;

  /// Prepares both and runs the rounds. Returns when the rounds end, when a signal stops them, or when a visit leaves
  /// no results. Throws InputError if a contestant cannot run at all.
  void run();

  /// Returns the comparison by the rounds that are complete. It refers to results that this object owns.
  std::vector<ComparedCase> cases();
  const RunResults& old_results() const { return old_.results; }  ///< of the preparation
  const RunResults& new_results() const { return new_.results; }
  int complete_rounds() const { return complete_rounds_; }
  const std::string& why_ended() const { return why_ended_; }  ///< before its time; empty if it was not
  bool has_failures() const;  ///< whether a case failed, in the preparation or in a visit

 private:
  struct Side {
    ContestantRuns runs;
    RunResults results = {};  ///< of the preparation
    std::int64_t visit_steps = 1;
    std::vector<VisitRecord> visits = {};
    std::map<std::string, std::string> failures = {};  ///< the first one in a visit, by case id
  };
  // Each returns false if a signal stopped it.
  bool prepare(Side& side);
  bool visit(Side& side, int round, int place);
  bool run_round(int round);

  void run_rounds();
  void announce(double round_seconds);
  bool is_precise() const;
  std::vector<double> log_ratios(const CasePair& pair) const;  ///< positive where the new one is faster

  Side old_, new_;
  RoundLimits limits_;
  std::ostream& notes_;
  bool own_cache_;  ///< two programs must not share their choices of kernels
  std::vector<CasePair> pairs_;
  int complete_rounds_ = 0;
  std::string why_ended_;
};

/// Pairs the cases of two contestants. Unlike those of two runs, they may have different contracts, which the user
/// wants to compare; if several are left over on both sides, equal in number, they are paired in their order.
std::vector<CasePair> pair_contestants(const RunResults& old_results, const RunResults& new_results);

/// Returns the number of steps that each case of a contestant times in a visit, by the times of its preparation: the
/// fastest one takes `measure/visit_seconds` (half a second in versions without it), but the slowest one at most five
/// seconds or as long; at least three.
std::int64_t steps_per_visit(const RunResults& results);

}  // namespace ddlbench::bench
