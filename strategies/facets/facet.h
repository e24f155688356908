#pragma once

#include <string>
#include <vector>

#include "base/option.h"
#include "strategies/spec.h"
#include "strategies/strategy.h"

namespace ddlbench::strategies {

/// One decision of a strategy: a member of StrategySpec, the settings it is read from, and the conditions under which
/// it is possible. Each facet is described in one file of this folder, and nowhere else.
struct Facet {
  std::string name;
  std::vector<Option> settings;  ///< names are unique over all facets
  /// Sets the facet's member of `spec` from `values`. The mesh is set before all others. Throws InputError.
  void (*read)(const OptionValues& values, StrategySpec& spec);
  /// Throws Unsupported where the facet, as it is in `spec`, is not possible for `task`. Null: always possible.
  void (*require)(const Task& task, const StrategySpec& spec) = nullptr;
  /// Throws Unsupported where settings of the facet are possible but would not change the plan of `task`. `values` has
  /// the settings of the strategy that `spec` was made from. Null: always has an effect.
  void (*require_effect)(const Task& task, const StrategySpec& spec, const OptionValues& values) = nullptr;
};

/// Returns all facets, the mesh first.
const std::vector<Facet>& facets();

/// Returns the facet setting called `name`. Throws ContractError where no facet has it.
const Option& facet_setting(const std::string& name);

/// Returns whether `values` has a facet's setting with another value than the facet's default.
bool is_set(const OptionValues& values, const std::string& setting);

/// Returns whether the mesh in `values` names the axis of `use`, of whatever size.
bool has_axis(const OptionValues& values, Use use);

/// Returns the specification of `values`; settings that are not given have their defaults. Throws InputError for values
/// that a facet rejects, ContractError for settings that no facet has and values of another type.
StrategySpec spec_of(const OptionValues& values);

/// Both throw Unsupported with the message of the first facet that is not possible, or has no effect.
void require_possible(const Task& task, const StrategySpec& spec);
void require_effects(const Task& task, const StrategySpec& spec, const OptionValues& values);

}  // namespace ddlbench::strategies
