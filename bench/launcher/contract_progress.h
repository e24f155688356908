#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "bench/config/experiment.h"
#include "bench/launcher/contract_rounds.h"
#include "bench/records/record.h"
#include "bench/report/ranking.h"

namespace ddlbench::bench {

/// The cases of each contract that can be ranked, until all its cases have ended.
class Participants {
 public:
  explicit Participants(const std::vector<Case>& cases) {
    for (const Case& which : cases) ++left_[which.contract_id];
  }
  void note(const Case& which, const CaseRecord& record) {
    --left_[which.contract_id];
    if (!why_unranked(record).empty()) return;
    of_contract_[which.contract_id].push_back(
        {which, sliced_case(record), record.measurement->collective_choices.value_or("")});
  }
  bool complete(const Case& which) const { return left_.at(which.contract_id) == 0; }
  std::vector<Participant> take(const std::string& contract_id) {
    const auto node = of_contract_.extract(contract_id);
    return node.empty() ? std::vector<Participant>{} : node.mapped();
  }

 private:
  std::map<std::string, int> left_;
  std::map<std::string, std::vector<Participant>> of_contract_;
};

/// The contracts whose cases are compared with each other, as points of one weak-scaling curve, until all their cases
/// have ended.
class ComparedContracts {
 public:
  explicit ComparedContracts(const std::vector<Case>& cases) {
    for (const Case& which : cases) {
      Group& group = groups_[which.scaling_id];
      ++group.left;
      group.contracts.insert(which.contract_id);
    }
  }
  /// Returns the contracts of the case's group if it was the last one.
  std::set<std::string> end(const Case& which) {
    const auto group = groups_.find(which.scaling_id);
    return --group->second.left > 0 ? std::set<std::string>{} : groups_.extract(group).mapped().contracts;
  }

 private:
  struct Group {
    int left = 0;
    std::set<std::string> contracts;
  };
  std::map<std::string, Group> groups_;
};

}  // namespace ddlbench::bench
