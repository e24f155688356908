#include "strategies/facets/facet.h"

#include "base/error.h"
#include "strategies/facets/list.h"

namespace ddlbench::strategies {

const std::vector<Facet>& facets() {
  static const std::vector<Facet> all{
#define DDLBENCH_FACET(name) name##_facet(),
#include "strategies/facets/facets.def"
#undef DDLBENCH_FACET
  };
  return all;
}

const Option& facet_setting(const std::string& name) {
  for (const Facet& facet : facets())
    for (const Option& setting : facet.settings)
      if (setting.name == name) return setting;
  throw ContractError("no facet has a setting '" + name + "'");
}

bool is_set(const OptionValues& values, const std::string& setting) {
  const auto found = values.find(setting);
  return found != values.end() && found->second != facet_setting(setting).default_value;
}

StrategySpec spec_of(const OptionValues& values) {
  std::vector<Option> settings;
  for (const Facet& facet : facets()) settings.insert(settings.end(), facet.settings.begin(), facet.settings.end());
  const OptionValues all = with_defaults(settings, values);
  StrategySpec spec;
  for (const Facet& facet : facets()) facet.read(all, spec);
  return spec;
}

void require_possible(const Task& task, const StrategySpec& spec) {
  for (const Facet& facet : facets())
    if (facet.require != nullptr) facet.require(task, spec);
}

void require_effects(const Task& task, const StrategySpec& spec, const OptionValues& values) {
  for (const Facet& facet : facets())
    if (facet.require_effect != nullptr) facet.require_effect(task, spec, values);
}

}  // namespace ddlbench::strategies
