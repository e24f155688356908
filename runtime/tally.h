#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "comm/communicator.h"
#include "program/cost_table.h"

namespace ddlbench::runtime {

/// Values of every rank become their sum (or maximum) on all; `label` says in errors what for. Collective.
void all_reduce(std::vector<std::int64_t>& values, comm::Communicator& world,
                graph::Reduction reduction = graph::Reduction::sum, const std::string& label = "agree on costs");

/// Picoseconds by key, found by some of the ranks, on which all agree. Keys are the same on all.
class Tally {
 public:
  Tally(const std::vector<std::string>& keys, const program::CostTable& known);

  /// Only what every rank knows is known; it is worth what rank 0 says. Collective.
  void agree_on_known(comm::Communicator& world);
  bool wants(const std::string& key) const { return known_.at(key) == 0; }
  void add(const std::string& key, std::int64_t picoseconds);
  /// The mean of what ranks have added; without what none has. Collective.
  program::CostTable close(comm::Communicator& world) const;

 private:
  struct Found {
    std::int64_t sum = 0;
    std::int64_t ranks = 0;
  };
  std::map<std::string, std::int64_t> known_;  ///< 0 where it is to be timed
  std::map<std::string, Found> found_;
};

}  // namespace ddlbench::runtime
