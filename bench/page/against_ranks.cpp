#include <fmt/core.h>
#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

#include "bench/page/ranks_chart.h"
#include "bench/page/sections.h"
#include "bench/page/svg.h"

namespace ddlbench::bench {
namespace {

/// The interval of the step time, scaled to the epoch.
std::optional<ChartValue> epoch_value(const CaseRow& row) {
  if (!has_trained(row.record)) return std::nullopt;
  ChartValue value{row.record.measurement->epoch_seconds, {}, {}};
  const Measurement* steps = timed_measurement(row.record);
  if (steps != nullptr && steps->step_seconds > 0) {
    value.low = value.value * steps->step_seconds_low / steps->step_seconds;
    value.high = value.value * steps->step_seconds_high / steps->step_seconds;
  }
  return value;
}

std::optional<ChartValue> step_value(const CaseRow& row) {
  const Measurement* measured = timed_measurement(row.record);
  if (measured == nullptr) return std::nullopt;
  return ChartValue{measured->step_seconds, measured->step_seconds_low, measured->step_seconds_high};
}

std::optional<ChartValue> speedup_value(const CaseRow& row) {
  const Comparison& comparison = row.comparison;
  if (timed_measurement(row.record) == nullptr || !comparison.speedup_ratio) return std::nullopt;
  ChartValue value{*comparison.speedup_ratio, {}, {}};
  if (comparison.verdict) {  // the baseline itself has no interval
    value.low = comparison.speedup_low_ratio;
    value.high = comparison.speedup_high_ratio;
  }
  return value;
}

/// Returns for each distinct curve the speedup with all busy threads in use, which is speedup / efficiency. Contracts
/// in which a number of ranks occurs with different numbers of threads have none there.
std::vector<GuideLine> ideals(const std::vector<CaseLine>& lines) {
  std::map<std::string, std::map<int, std::set<double>>> by_contract;
  for (const CaseLine& line : lines) {
    for (const Replicates& replicates : line.points) {
      for (const CaseRow* row : replicates) {
        const std::optional<double>&speedup = row->comparison.speedup_ratio,
              &efficiency = row->comparison.efficiency_ratio;
        if (!speedup || !efficiency || *efficiency <= 0) continue;
        constexpr double digits = 1e9;
        const double ideal = std::round(*speedup / *efficiency * digits) / digits;
        by_contract[row->record.contract_id][row->record.ranks].insert(ideal);
      }
    }
  }
  std::vector<GuideLine> curves;
  for (const auto& [contract, by_ranks] : by_contract) {
    GuideLine curve{"ideal for the busy threads", {}};
    bool plain = true;
    for (const auto& [ranks, ideal] : by_ranks) {
      if (ideal.size() == 1) curve.points.emplace_back(ranks, *ideal.begin());
      plain &= ideal.size() == 1 && *ideal.begin() == ranks;
    }
    if (plain) curve.label = "ideal";
    const bool is_new = std::none_of(curves.begin(), curves.end(),
                                     [&](const GuideLine& other) { return other.points == curve.points; });
    if (curve.points.size() > 1 && is_new) curves.push_back(std::move(curve));
  }
  return curves;
}

std::string with_facet(const std::string& title, const std::string& facet) {
  return facet.empty() ? title : title + ": " + facet;
}

LineChart time_chart(const RunResults& results, const std::vector<CaseLine>& lines) {
  const bool trained =
      std::any_of(results.rows.begin(), results.rows.end(), [](const CaseRow& row) { return has_trained(row.record); });
  const ValueOfCase value = trained ? epoch_value : step_value;
  const std::string what = trained ? "Epoch time" : "Step time";
  const DisplayUnit unit = time_unit(range_of(lines_over_ranks(results, lines, value, {})).high);
  LineChart chart{with_facet(what + " against ranks", lines.front().facet),
                  what + " of each strategy at each number of ranks.",
                  {},
                  {},
                  {},
                  {}};
  chart.lines = lines_over_ranks(results, lines, value, unit);
  if (chart.lines.empty()) return chart;
  chart.x = ranks_axis_of(chart.lines);
  chart.y = axis_of_range(what, unit, range_of(chart.lines));
  return chart;
}

LineChart speedup_chart(const RunResults& results, const std::vector<CaseLine>& lines) {
  LineChart chart{with_facet("Speedup against ranks", lines.front().facet),
                  "Speedup of each strategy at each number of ranks. The dashed line is the ideal.",
                  {},
                  {},
                  lines_over_ranks(results, lines, speedup_value, {}),
                  ideals(lines)};
  if (chart.lines.empty()) return chart;
  chart.x = ranks_axis_of(chart.lines);
  chart.y = axis_of_range("Speedup over the best one-rank case", {}, range_of(chart.lines, chart.guides));
  return chart;
}

/// Returns the two charts of a facet, with one legend. Empty if no case has a time.
Html facet_charts(const RunResults& results, const std::vector<CaseLine>& lines) {
  const LineChart times = time_chart(results, lines), speedups = speedup_chart(results, lines);
  if (times.lines.empty()) return {};
  Html charts = draw(times);
  LineChart both = times;
  if (!speedups.lines.empty()) {
    charts += draw(speedups);
    both.guides = speedups.guides;
  }
  return element("div", {{"class", "charts"}}, charts) + legend_of(both);
}

}  // namespace

Html ranks_section(const RunResults& results) {
  std::vector<CaseLine> lines = case_lines(results);
  std::erase_if(lines, [](const CaseLine& line) { return line.weak; });
  Html html;
  for (const std::string& facet : facets_of(lines)) {
    std::vector<CaseLine> own;
    std::copy_if(lines.begin(), lines.end(), std::back_inserter(own),
                 [&](const CaseLine& line) { return line.facet == facet; });
    html += facet_charts(results, own);
  }
  if (html.empty()) return {};
  return html +
         element("p", {{"class", "key"}},
                 html_text("Bars and bands are 95 % intervals of the step time and of the speedup; of cases that "
                           "differ in the seed alone, of the estimate over the seeds. Hollow marks have no place "
                           "in the ranking: the table says why."));
}

}  // namespace ddlbench::bench
