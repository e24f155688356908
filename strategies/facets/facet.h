#pragma once

#include <string>
#include <vector>

#include "base/option.h"
#include "strategies/spec.h"
#include "strategies/strategy.h"

namespace ddlbench::strategies {

/// One thing that a strategy decides: a member of StrategySpec, the settings that it is made of, and when it cannot be.
/// Each facet is described in one file of this folder, and nowhere else.
struct Facet {
  std::string name;
  std::vector<Option> settings;  ///< their names are unlike those of all other facets
  /// Sets the facet's member from values of its settings; the mesh is set before all others. Throws InputError.
  void (*read)(const OptionValues& values, StrategySpec& spec);
  /// Throws Unsupported where the facet, as it is in `spec`, is not possible for the task. Null: it always is.
  void (*require)(const Task& task, const StrategySpec& spec) = nullptr;
  /// Throws Unsupported where it is, but would change nothing of the task's plan: asked of what a person has written.
  void (*require_effect)(const Task& task, const StrategySpec& spec) = nullptr;
};

/// All of them, the mesh first.
const std::vector<Facet>& facets();

/// A setting of whichever facet has it. Throws ContractError where none does.
const Option& facet_setting(const std::string& name);

/// The specification of these values; settings that are not given have their defaults. Throws InputError.
StrategySpec spec_of(const OptionValues& values);

/// These two throw Unsupported with the message of the first facet that is not possible, or has no effect.
void require_possible(const Task& task, const StrategySpec& spec);
void require_effects(const Task& task, const StrategySpec& spec);

}  // namespace ddlbench::strategies
