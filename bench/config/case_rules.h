#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/config/experiment.h"

namespace ddlbench::bench {

/// The rules of an experiment's sweep, applied to its cases variant by variant.
class CaseRules {
 public:
  /// `experiment` must outlive this object.
  explicit CaseRules(const Experiment& experiment);

  /// Chooses the variant of the following cases.
  void enter(const Variant& variant);
  /// Returns whether a rule leaves the case out. Otherwise sets its expected status if a rule says one; the last such
  /// rule counts.
  bool excludes(Case& which);
  /// Throws ConfigError if a rule matched no case, or if all cases were left out.
  void require_effect(std::size_t remaining_cases) const;

 private:
  struct Condition {
    std::string setting;
    nlohmann::json values;  ///< one or a list of them
  };
  struct Rule {
    const SweepRule* written;
    std::vector<Condition> of_variant, of_strategy, of_case;
    bool holds_in_variant = false;
    bool has_matched = false;
  };
  bool matches(const Rule& rule, const Case& which);
  bool holds_for_strategy(const Rule& rule, const StrategyChoice& strategy);

  const Experiment& experiment_;
  std::vector<Rule> rules_;
  std::map<std::pair<const Rule*, int>, bool> of_strategies_;  ///< by rule and index of the strategy
};

}  // namespace ddlbench::bench
