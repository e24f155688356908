#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "bench/records/journal.h"
#include "bench/records/record.h"

namespace ddlbench::bench {

/// Builds the records of a run from the entries of its journal, in the order in which they were written. This is the
/// only meaning of these entries: a run that writes its journal and a program that reads it use the same object.
///
/// - A case that starts again replaces the records of its earlier attempt, and the visits of its contract: these were
///   compared with the earlier attempt. Validations before the step from which a resumed
///   training continues are kept: it repeats the one of that step.
/// - Rounds that start again replace the visits of their contract.
/// - Cases, epochs, validations, ranks and utilisation are in the order of the plan, whatever the order in which the
///   cases ended. So a resumed run gives the same tables as one that was not interrupted.
class RecordBuilder {
 public:
  /// Throws InputError if the kind of the entry is unknown, and nlohmann::json::exception or ContractError if its
  /// record is not one of that kind.
  void add(const JournalEntry& entry);

  const Records& records() const { return records_; }
  /// Forgets all epochs, validations, ranks and samples of utilisation, whose number grows with the time that a run
  /// takes. Later ones are added as before.
  void forget_rows();
  /// Marks contracts of the plan whose cases and rounds have all ended: none of them may start or end again.
  void settle(const std::set<std::string>& contracts) { settled_.insert(contracts.begin(), contracts.end()); }
  /// Forgets the cases, visits and rounds of the settled contracts, if these cases are the first ones. Returns the
  /// number of cases.
  std::size_t forget_settled();
  std::size_t forgotten_cases() const { return forgotten_cases_; }
  /// Throws ContractError if the case was forgotten.
  void require_unforgotten(const std::string& case_id) const;
  /// Returns how often the case has started.
  int attempts(const std::string& case_id) const;
  /// Records that were not only added at the end.
  struct Reordered {
    bool cases = false;  ///< cases or visits were removed, or added before others
    bool rows = false;   ///< likewise those that forget_rows() forgets, whether it has forgotten them or not
  };
  /// Returns what was reordered since the last call.
  Reordered take_reordered();

 private:
  /// The rows that were forgotten.
  struct Forgotten {
    std::vector<bool> of_case;  ///< by place in the plan
    bool has(std::size_t place) const { return place < of_case.size() && of_case[place]; }
    void add(std::size_t place);
  };

  std::size_t position(const std::string& case_id) const;
  const std::string& contract_of(const std::string& case_id) const;
  /// Returns whether the record came before others.
  template <class Record>
  bool insert(std::vector<Record>& records, Record record);
  template <class Record>
  void insert_row(std::vector<Record>& records, Record record);
  template <class Record>
  void forget(std::vector<Record>& records);
  void plan(const JournalEntry& entry);
  void start(const StartedCase& started);
  void start_rounds(const std::string& contract_id);

  Records records_;
  std::map<std::string, std::size_t> positions_;  ///< of planned cases
  std::map<std::string, std::size_t> started_;    ///< indices into `started`
  std::set<std::string> ended_;                   ///< cases that have ended once
  Forgotten forgotten_;
  std::set<std::string> settled_;  ///< contracts that are not forgotten yet
  std::size_t forgotten_cases_ = 0;
  std::size_t first_unforgotten_ = 0;  ///< place in the plan after the forgotten cases
  Reordered reordered_;
};

}  // namespace ddlbench::bench
