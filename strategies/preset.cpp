#include "strategies/preset.h"

#include <fmt/core.h>
#include <algorithm>

#include "base/error.h"
#include "strategies/compile.h"
#include "strategies/facets/facet.h"
#include "strategies/inter_layer/schedules.h"
#include "strategies/presets.h"

namespace ddlbench::strategies {
namespace {

/// Throws ContractError for settings that no facet has, values of another type and settings that are given twice;
/// InputError for values that a facet rejects.
void require_valid(const Preset& preset) {
  OptionValues values = preset.fixed;
  const auto add = [&](const std::string& setting, OptionValue value) {
    const bool is_new = values.try_emplace(setting, std::move(value)).second;
    require(is_new, "strategy {} sets '{}' twice", preset.name, setting);
  };
  for (const OpenSetting& open : preset.open)
    add(open.setting, open.default_value.value_or(facet_setting(open.setting).default_value));
  if (!preset.axis.empty()) add("mesh", AxisSizes{{preset.axis, 1}});
  spec_of(values);
}

Option option_of(const OpenSetting& open) {
  Option option = facet_setting(open.setting);
  if (!open.name.empty()) option.name = open.name;
  if (open.default_value) option.default_value = *open.default_value;
  if (open.minimum) option.minimum = *open.minimum;
  option.required = open.required;
  return option;
}

bool opens_mesh(const Preset& preset) {
  for (const OpenSetting& open : preset.open)
    if (open.setting == "mesh") return true;
  return false;
}

bool requires_speeds(const Preset& preset) {
  for (const OpenSetting& open : preset.open)
    if (open.setting == "speeds" && open.required) return true;
  return false;
}

constexpr std::int64_t most_ranks_of_mesh = 4096;

/// Returns the number of ranks that have a speed. Throws InputError if there is none, and for more than 4096.
int ranks_with_speeds(const OptionValues& options) {
  const auto& speeds = value_of<Integers>(options, "speeds");
  if (speeds.size() > most_ranks_of_mesh)
    throw InputError(fmt::format("speeds has {} numbers, but there are at most {} ranks; leave some out", speeds.size(),
                                 most_ranks_of_mesh));
  if (speeds.empty()) throw InputError("speeds has no number; give one for each rank, such as [2, 1]");
  return static_cast<int>(speeds.size());
}

/// Returns the product of the axis sizes. Throws InputError for an empty mesh and for more than 4096 ranks.
int ranks_of(const AxisSizes& mesh) {
  if (mesh.empty()) throw InputError("a hybrid needs a mesh, such as {\"data\": 2, \"pipeline\": 2}");
  std::int64_t ranks = 1;
  for (const auto& [axis, size] : mesh) {
    ranks *= size;
    if (ranks > most_ranks_of_mesh)
      throw InputError(fmt::format("the mesh has more than {} ranks: make it smaller", most_ranks_of_mesh));
  }
  return static_cast<int>(ranks);
}

/// Returns the values of the facets' settings: those that `preset` fixes, its axis with `ranks` ranks, and those of its
/// open settings, as `given` or by default.
OptionValues facet_values(const Preset& preset, const std::vector<Option>& options, const OptionValues& given,
                          int ranks) {
  OptionValues values = preset.fixed;
  if (!preset.axis.empty()) values["mesh"] = AxisSizes{{preset.axis, ranks}};
  const OptionValues all = with_defaults(options, given);
  for (std::size_t i = 0; i < options.size(); ++i) values[preset.open[i].setting] = all.at(options[i].name);
  return values;
}

}  // namespace

const std::vector<Preset>& presets() {
  static const std::vector<Preset> sorted = [] {
    std::vector<Preset> all{
#define DDLBENCH_PRESET(name) name(),
#include "strategies/presets.def"
#undef DDLBENCH_PRESET
    };
    for (const ScheduleKind& schedule : schedules()) all.push_back(pipeline(schedule));
    std::stable_sort(all.begin(), all.end(), [](const Preset& a, const Preset& b) { return a.family < b.family; });
    return all;
  }();
  return sorted;
}

StrategyKind kind_of(const Preset& preset) {
  require_valid(preset);
  StrategyKind kind;
  kind.name = preset.name;
  kind.family = preset.family;
  kind.help = preset.help;
  for (const OpenSetting& open : preset.open) kind.options.push_back(option_of(open));
  const bool is_single = preset.axis.empty() && !opens_mesh(preset);
  if (is_single) {
    kind.fixed_ranks = [](const OptionValues&) { return 1; };
  } else if (preset.axis.empty()) {
    kind.fixed_ranks = [](const OptionValues& options) { return ranks_of(value_of<AxisSizes>(options, "mesh")); };
  } else if (requires_speeds(preset)) {
    kind.fixed_ranks = ranks_with_speeds;
  }
  kind.compile = [preset, options = kind.options, is_single](const Task& task, const OptionValues& given) {
    if (is_single && task.ranks != 1)
      throw Unsupported(fmt::format("{} runs on 1 rank, not on {}", preset.name, task.ranks));
    const OptionValues values = facet_values(preset, options, given, task.ranks);
    if (requires_speeds(preset)) ranks_with_speeds(values);
    const StrategySpec spec = spec_of(values);
    require_effects(task, spec, values);
    return strategies::compile(task, spec);
  };
  return kind;
}

}  // namespace ddlbench::strategies
