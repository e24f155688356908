#include <algorithm>
#include <iterator>

#include "bench/page/ranks_chart.h"
#include "bench/page/sections.h"
#include "bench/page/svg.h"

namespace ddlbench::bench {
namespace {

std::optional<ChartValue> weak_step_value(const CaseRow& row) {
  const Measurement* measured = timed_measurement(row.record);
  if (measured == nullptr) return std::nullopt;
  return ChartValue{measured->step_seconds, measured->step_seconds_low, measured->step_seconds_high};
}

/// The step time of the fewest ranks, at all numbers of ranks.
std::vector<GuideLine> flat_lines(const std::vector<ChartLine>& lines) {
  std::vector<GuideLine> guides;
  for (const ChartLine& line : lines) {
    const double ideal = line.points.front().y;
    guides.push_back(
        {"ideal: the step time of the fewest ranks", {{line.points.front().x, ideal}, {line.points.back().x, ideal}}});
  }
  return guides;
}

Html weak_chart(const RunResults& results, const std::vector<CaseLine>& lines) {
  const DisplayUnit unit = time_unit(range_of(lines_over_ranks(results, lines, weak_step_value, {})).high);
  LineChart chart{"Step time against ranks: " + lines.front().facet,
                  "Step time of each strategy. With ideal weak scaling the lines are horizontal.",
                  {},
                  {},
                  lines_over_ranks(results, lines, weak_step_value, unit),
                  {}};
  if (chart.lines.empty()) return {};
  chart.guides = flat_lines(chart.lines);
  chart.x = ranks_axis_of(chart.lines);
  chart.y = axis_of_range("Step time", unit, range_of(chart.lines, chart.guides));
  return element("div", {{"class", "charts"}}, draw(chart)) + legend_of(chart);
}

}  // namespace

Html weak_scaling_section(const RunResults& results) {
  std::vector<CaseLine> lines = case_lines(results);
  std::erase_if(lines, [](const CaseLine& line) { return !line.weak; });
  Html html;
  for (const std::string& facet : facets_of(lines)) {
    std::vector<CaseLine> own;
    std::copy_if(lines.begin(), lines.end(), std::back_inserter(own),
                 [&](const CaseLine& line) { return line.facet == facet; });
    html += weak_chart(results, own);
  }
  return html;
}

}  // namespace ddlbench::bench
