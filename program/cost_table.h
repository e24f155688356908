#pragma once

#include <map>
#include <optional>
#include <string>

#include "program/program.h"

namespace ddlbench::program {

/// What an op at a shape costs on some device; strategies, memory plan and simulator read it and never
/// see a device.
struct OpCost {
  std::optional<double> seconds;  ///< empty: not measured
  std::int64_t workspace_bytes = 0;
};

/// Identifies what a device would run: op, attributes, local types, accumulation; or collective,
/// algorithm, members and elements. Equal keys are the same work.
std::string cost_key(const Compute& compute);
std::string cost_key(const CollectiveCall& call, int members);

/// Elements of the whole tensor that a collective moves: all parts together.
std::int64_t moved_elements(const CollectiveCall& call);

class CostTable {
 public:
  void insert(std::string key, OpCost cost) { costs_[std::move(key)] = cost; }
  /// nullptr where nothing is known.
  const OpCost* find(const std::string& key) const;
  const std::map<std::string, OpCost>& all() const { return costs_; }

 private:
  std::map<std::string, OpCost> costs_;
};

}  // namespace ddlbench::program
