#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "comm/communicator.h"
#include "program/cost_table.h"

namespace ddlbench::runtime {

/// Replaces the values of every rank by their sum (or maximum). `label` names the purpose in errors. Collective.
void all_reduce(std::vector<std::int64_t>& values, comm::Communicator& world,
                graph::Reduction reduction = graph::Reduction::sum, const std::string& label = "agree on costs");

/// Times in picoseconds by key, measured by some of the ranks and agreed on by all. All ranks have the same keys.
class Tally {
 public:
  Tally(const std::vector<std::string>& keys, const program::CostTable& known);

  /// Treats a key as known only if every rank knows it; the value of rank 0 counts. Collective.
  void agree_on_known(comm::Communicator& world);
  bool wants(const std::string& key) const { return known_.at(key) == 0; }
  void add(const std::string& key, std::int64_t picoseconds);
  /// Returns the mean of the values added by ranks, without keys that no rank has measured. Collective.
  program::CostTable close(comm::Communicator& world) const;

 private:
  struct Found {
    std::int64_t sum = 0;
    std::int64_t ranks = 0;
  };
  std::map<std::string, std::int64_t> known_;  ///< 0: to be timed
  std::map<std::string, Found> found_;
};

}  // namespace ddlbench::runtime
