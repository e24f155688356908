#pragma once

#include <optional>
#include <string>
#include <vector>

#include "strategies/strategy.h"

namespace ddlbench::strategies {

/// A setting of a facet that a preset leaves to the configuration.
struct OpenSetting {
  OpenSetting(const char* of_facet) : setting(of_facet) {}
  OpenSetting(const char* of_facet, OptionValue value) : setting(of_facet), default_value(std::move(value)) {}

  std::string setting;
  std::optional<OptionValue> default_value = {};  ///< in place of the facet's
  std::string name = {};                          ///< in place of the facet's
  std::optional<double> minimum = {};             ///< in place of the facet's
};

/// A named strategy: which axis takes the ranks, which settings of the facets are open, and what the others are.
struct Preset {
  std::string name;
  Family family = Family::single;
  std::string help;
  std::string axis;  ///< of the mesh, that takes all ranks; empty: one rank, unless the setting `mesh` is open
  std::vector<OpenSetting> open;  ///< in the order in which they are listed
  OptionValues fixed = {};
};

/// All named strategies of this build, in the order of families.
const std::vector<Preset>& presets();

/// Throws ContractError for settings that no facet has, values of another type, and what is said twice.
StrategyKind kind_of(const Preset& preset);

}  // namespace ddlbench::strategies
