#include "bench/config/facet_table.h"

#include <fmt/core.h>

#include "bench/config/field.h"
#include "strategies/facets/facet.h"
#include "strategies/preset.h"

namespace ddlbench::bench {
namespace {

std::string code(const std::string& text) {
  return "`" + text + "`";
}

std::string cell_of(const strategies::Preset& preset, const Option& setting) {
  for (const strategies::OpenSetting& open : preset.open) {
    if (open.setting != setting.name) continue;
    const std::string value = to_string(open.default_value.value_or(setting.default_value));
    return open.name.empty() ? code(value) : code(fmt::format("{}: {}", open.name, value));
  }
  if (setting.name == "mesh" && !preset.axis.empty()) return "(all on " + code(preset.axis) + ")";
  const auto fixed = preset.fixed.find(setting.name);
  return fixed == preset.fixed.end() ? "" : "(" + code(to_string(fixed->second)) + ")";
}

}  // namespace

std::string facet_table() {
  std::string head = "| facet | setting |", line = "| --- | --- |", rows;
  for (const strategies::Preset& preset : strategies::presets()) {
    head += " " + code(preset.name) + " |";
    line += " --- |";
  }
  for (const strategies::Facet& facet : strategies::facets()) {
    for (const Option& setting : facet.settings) {
      rows += fmt::format("| {} | {} |", facet.name, code(setting.name));
      for (const strategies::Preset& preset : strategies::presets()) rows += " " + cell_of(preset, setting) + " |";
      rows += "\n";
    }
  }
  return fmt::format("{}\n{}\n{}", head, line, rows);
}

}  // namespace ddlbench::bench
