#include "bench/page/budget_colours.h"

#include <utility>

#include "bench/page/looks.h"

namespace ddlbench::bench {

using program::Budget;

std::string stretch_colour(StretchKind kind) {
  return kind == StretchKind::wait ? "var(--pale)" : std::string(style(kind).color);
}

std::string budget_colour(double Budget::*part) {
  if (part == &Budget::forward) return stretch_colour(StretchKind::forward);
  if (part == &Budget::backward) return stretch_colour(StretchKind::backward);
  if (part == &Budget::recompute) return stretch_colour(StretchKind::recompute);
  if (part == &Budget::communication) return stretch_colour(StretchKind::communicate);
  if (part == &Budget::bubble) return stretch_colour(StretchKind::wait);
  if (part == &Budget::optimizer) return stretch_colour(StretchKind::update);
  if (part == &Budget::input) return stretch_colour(StretchKind::input);
  return "var(--grey)";
}

Html schedule_legend() {
  std::vector<LegendEntry> entries;
  for (int i = 0; i < stretch_kinds; ++i) {
    const auto kind = static_cast<StretchKind>(i);
    entries.push_back({std::string(style(kind).label), {stretch_colour(kind)}, LegendEntry::Sign::patch});
  }
  return legend(entries);
}

Html budget_legend() {
  std::vector<LegendEntry> entries;
  for (const Budget::Part& part : Budget::parts)
    entries.push_back({part.name, {budget_colour(part.seconds)}, LegendEntry::Sign::patch});
  return legend(entries);
}

}  // namespace ddlbench::bench
