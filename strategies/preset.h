#pragma once

#include <optional>
#include <string>
#include <vector>

#include "strategies/strategy.h"

namespace ddlbench::strategies {

/// A facet's setting that a preset leaves to the configuration.
struct OpenSetting {
  OpenSetting(const char* of_facet) : setting(of_facet) {}
  OpenSetting(const char* of_facet, OptionValue value) : setting(of_facet), default_value(std::move(value)) {}

  std::string setting;
  std::optional<OptionValue> default_value = {};  ///< replaces the facet's default
  std::string name = {};                          ///< replaces the facet's name
  std::optional<double> minimum = {};             ///< replaces the facet's minimum
  bool required = false;                          ///< the setting has no default
};

/// A named strategy: the mesh axis that takes all ranks, the open settings of the facets, and the fixed values of
/// others.
struct Preset {
  std::string name;
  Family family = Family::single;
  std::string help;
  std::string axis;  ///< mesh axis that takes all ranks; empty: one rank, unless the setting `mesh` is open
  std::vector<OpenSetting> open;  ///< in the order of listing
  OptionValues fixed = {};
};

/// Returns all named strategies of this build, ordered by family.
const std::vector<Preset>& presets();

/// Returns the strategy that `preset` describes. Throws ContractError for settings that no facet has, for values of
/// another type, and for a setting that is given twice; InputError for values that a facet rejects.
StrategyKind kind_of(const Preset& preset);

}  // namespace ddlbench::strategies
