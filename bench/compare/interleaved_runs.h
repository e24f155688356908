#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "bench/compare/compared_cases.h"
#include "bench/compare/contestant.h"
#include "bench/compare/visit_plan.h"

namespace ddlbench::bench {

/// When the rounds end.
struct RoundLimits {
  std::optional<int> rounds;  ///< after this number; otherwise as precision and time say
  double max_seconds = 300;   ///< a round that would take longer is not started, but there are at least two
  double margin = 0.02;       ///< without `rounds`, a pair takes no further ones once its ratios are_precise
};

/// Two contestants take turns in rounds. In a round, each of them visits each case twice, in the order A B B A or B A A
/// B, at random; a visit is a run of this case alone. Where possible, A and B run at once, and while one has its time
/// slice, the other one is stopped (see VisitPlan). So whatever slows the machine affects both, and the ratios of the
/// rounds tell which is faster. Both first run once to verify their cases; those runs also give memory and accuracy.
class InterleavedRuns {
 public:
  InterleavedRuns(ContestantRuns old_runs, ContestantRuns new_runs, RoundLimits limits, const StopSignals& signals,
                  std::ostream& notes);

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
    std::vector<VisitRecord> visits = {};
    std::map<std::string, std::string> failures = {};  ///< the first one in a visit, by case id
  };
  /// A pair that needs further rounds.
  struct RunningPair {
    const CasePair* pair = nullptr;
    VisitPlan plan = {};
    double longest_seconds = 0;  ///< of its visits in a round
  };
  struct SideVisit {
    Side* side;
    Visit visit;
  };
  // Each returns false if a signal stopped it.
  bool prepare(Side& side);
  bool run_round(int round);
  bool choose_kernels(const RunningPair& running, int round);
  bool visit_both(const RunningPair& running, int round, int place, bool old_first);

  void start_pairs();
  void run_rounds();
  void announce(double round_seconds);
  double next_round_seconds() const;                                          ///< as long as each pair took at most
  std::array<SideVisit, 2> visits_of(const RunningPair& running, int round);  ///< of OLD and NEW
  void note_visit(Side& side, const Visit& visit, const ProgramEnd& end);
  bool has_failed(const CasePair& pair) const;
  std::vector<double> log_ratios(const CasePair& pair) const;  ///< positive where the new one is faster

  Side old_, new_;
  RoundLimits limits_;
  const StopSignals& signals_;
  std::ostream& notes_;
  bool own_cache_;  ///< two programs must not share their choices of kernels
  std::vector<CasePair> pairs_;
  std::vector<RunningPair> running_;
  int complete_rounds_ = 0;
  std::string why_ended_;
};

/// Pairs the cases of two contestants. Unlike those of two runs, they may have different contracts, which the user
/// wants to compare; if several are left over on both sides, equal in number, they are paired in their order.
std::vector<CasePair> pair_contestants(const RunResults& old_results, const RunResults& new_results);

/// Returns whether the interval of a ratio is at most ± half the margin. At least six rounds are needed: the deviations
/// of fewer are often too small by chance.
bool are_precise(const std::vector<double>& log_ratios, double margin);

}  // namespace ddlbench::bench
