#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "bench/records/paired_verdicts.h"
#include "bench/records/record.h"

namespace ddlbench::bench {

/// Returns how many planned cases have no record or were cut short, by contract; contracts without such cases are
/// absent. In an older journal, without a plan, the recorded cases are the planned ones.
std::map<std::string, std::size_t> missing_cases(const Records& records);

/// Returns the contracts whose rounds have ended without losing a rank.
std::set<std::string> contracts_with_rounds(const Records& records);

/// The cases of a run as their visits show them. A case with two complete rounds or more has the step time of its
/// rounds: the Hodges–Lehmann estimate of the rounds' mean logarithms with its interval, and a budget whose parts have
/// the mean shares of the visits. A case of which a visit failed has the status of that visit, and no measurement.
class TimedCases {
 public:
  TimedCases() = default;
  explicit TimedCases(const Records& records) { update(records); }

  /// Follows records that begin with those of the last call. Only contracts with new records cost time. Returns whether
  /// cases of the last call have changed.
  bool update(const Records& records);

  const std::vector<CaseRecord>& cases() const { return cases_; }
  /// Returns the verdicts of each contract with rounds, by contract.
  const std::map<std::string, PairedVerdicts>& verdicts() const { return verdicts_; }

 private:
  struct Contract {
    std::vector<std::size_t> cases;  ///< indices
    std::vector<VisitRecord> visits;
    std::optional<RoundsRecord> end;
    bool changed = false;
  };
  void recompute(const std::string& id, Contract& contract, const Records& records);

  std::vector<CaseRecord> cases_;
  std::map<std::string, PairedVerdicts> verdicts_;
  std::map<std::string, Contract> contracts_;
  std::map<std::string, std::string> contract_of_case_;
  std::size_t visits_ = 0, rounds_ = 0;  ///< records that were seen
};

}  // namespace ddlbench::bench
