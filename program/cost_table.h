#pragma once

#include <map>
#include <optional>
#include <string>

#include "program/program.h"

namespace ddlbench::program {

/// The cost of an op at given shapes on some device. Strategies, memory plan and simulator read costs instead of using
/// a device.
struct OpCost {
  std::optional<double> seconds;  ///< empty if not measured
  std::int64_t workspace_bytes = 0;
};

/// Returns a key of what a device would run: op, attributes, local types and accumulation; or collective, algorithm,
/// members and elements. Equal keys mean equal work.
std::string cost_key(const Compute& compute);
std::string cost_key(const CollectiveCall& call, int members);

/// Returns the number of elements of the whole tensor of a collective, that is, of all parts together.
std::int64_t moved_elements(const CollectiveCall& call);

class CostTable {
 public:
  void insert(std::string key, OpCost cost) { costs_[std::move(key)] = cost; }
  /// Returns nullptr if there is no entry.
  const OpCost* find(const std::string& key) const;
  const std::map<std::string, OpCost>& all() const { return costs_; }

 private:
  std::map<std::string, OpCost> costs_;
};

}  // namespace ddlbench::program
