#include <fmt/core.h>
#include <algorithm>
#include <sstream>

#include "bench/page/bar_chart.h"
#include "bench/page/case_lines.h"
#include "bench/page/sections.h"
#include "bench/page/svg.h"
#include "bench/report/decision.h"
#include "bench/report/warnings.h"

namespace ddlbench::bench {
namespace {

std::vector<IntervalRow> interval_rows(const Ranking& ranking, const Looks& looks) {
  std::vector<IntervalRow> rows;
  for (const RankedCase& one : ranking.ranked) {
    const Measurement& measured = *one.record.measurement;
    const DisplayUnit unit = time_unit(measured.step_seconds);
    rows.push_back(
        {fmt::format("{}{}. {}", one.rank, one.letters, describe_case(one.record)), measured.step_seconds,
         measured.step_seconds_low, measured.step_seconds_high, looks.of(one.record.strategy).colour,
         fmt::format("{}: {} [{}, {}]", one.record.case_id, quantity(measured.step_seconds, unit, 4),
                     in_unit(measured.step_seconds_low, unit, 4), in_unit(measured.step_seconds_high, unit, 4))});
  }
  return rows;
}

Html intervals_of(const Ranking& ranking, const Looks& looks, const std::string& facet) {
  const std::vector<IntervalRow> rows = interval_rows(ranking, looks);
  if (rows.size() < 2) return {};
  double low = rows.front().low, high = 0;
  for (const IntervalRow& row : rows) {
    low = std::min(low, row.low);
    high = std::max(high, row.high);
  }
  const DisplayUnit unit = time_unit(high);
  std::string caption = "Step time of the ranked cases, with 95 % intervals";
  if (!facet.empty()) caption += ": " + facet;
  const Axis axis = far_apart(low, high) ? logarithmic_axis("Step time", unit, low, high)
                                         : axis_between("Step time", unit, low, high);
  return draw_intervals(caption, fmt::format("{} cases, the fastest first. The table has the numbers.", rows.size()),
                        axis, rows);
}

}  // namespace

Html verdict_section(const RunResults& results) {
  Html html;
  std::istringstream text(decide(results.rankings) + format_warnings(results.rankings));
  for (std::string line; std::getline(text, line);) html += element("p", {{"class", "verdict"}}, html_text(line));
  const Looks looks = looks_of(results);
  Html charts;
  for (const Ranking& ranking : results.rankings) {
    charts += intervals_of(ranking, looks, contract_facet(results, any_case(ranking)));
  }
  return charts.empty() ? html : html + element("div", {{"class", "charts"}}, charts);
}

}  // namespace ddlbench::bench
