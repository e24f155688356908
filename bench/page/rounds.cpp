#include <fmt/core.h>
#include <algorithm>
#include <cmath>
#include <map>

#include "base/units.h"
#include "bench/page/case_lines.h"
#include "bench/page/line_chart.h"
#include "bench/page/sections.h"
#include "bench/records/rounds.h"

namespace ddlbench::bench {
namespace {

constexpr int time_digits = 4;

/// Returns the step time of a turn in each round; nothing if it has no complete round.
ChartLine line_of(const Rounds& rounds, const Turn& turn, const std::string& label, const Look& look) {
  ChartLine line{label, look, {}};
  for (const auto& [round, log_seconds] : rounds.log_seconds(turn)) {
    const double seconds = std::exp(log_seconds);
    line.points.push_back({static_cast<double>(round),
                           seconds,
                           {},
                           {},
                           fmt::format("{}, round {}: {}", turn.case_id + (turn.control ? ", second copy" : ""), round,
                                       quantity(seconds, time_unit(seconds), time_digits)),
                           turn.control});
  }
  return line;
}

LineChart rounds_chart(const RunResults& results, const Ranking& contract, const Looks& looks) {
  LineChart chart{"Step time in each round", "One line for each case, with a mark for each round.", {}, {}, {}, {}};
  if (const std::string facet = contract_facet(results, any_case(contract)); !facet.empty())
    chart.title += ": " + facet;
  const Rounds rounds(results.records.visits);
  for (const RankedCase& one : contract.ranked) {
    const CaseRecord& record = one.record;
    for (const bool control : {false, true}) {
      ChartLine line = line_of(rounds, {record.case_id, control},
                               describe_case(record) + (control ? ", second copy" : ""), looks.of(record.strategy));
      if (!line.points.empty()) chart.lines.push_back(std::move(line));
    }
  }
  std::vector<double> times;
  double last = 1;
  for (const ChartLine& line : chart.lines) {
    for (const ChartPoint& point : line.points) {
      times.push_back(point.y);
      last = std::max(last, point.x);
    }
  }
  if (times.empty()) return chart;
  const auto [low, high] = std::minmax_element(times.begin(), times.end());
  chart.x = axis_between("Round", {}, 1, last);
  std::erase_if(chart.x.ticks, [](double tick) { return tick != std::round(tick); });
  chart.y = far_apart(*low, *high) ? logarithmic_axis("Step time", time_unit(*high), *low, *high)
                                   : axis_between("Step time", time_unit(*high), *low, *high);
  return chart;
}

/// Returns how many visits others of the machine disturbed, and when the rounds took place.
std::string visits_text(const std::vector<VisitRecord>& visits) {
  const auto disturbed =
      std::count_if(visits.begin(), visits.end(), [](const VisitRecord& visit) { return visit.disturbed; });
  return fmt::format(
      "{} visits; others disturbed {} of them. Each mark is the mean of the logarithms of a case's visits in a round. "
      "Lines that rise and fall together show what affected the whole machine, which cancels in the ratios. visits.csv "
      "has the visits.",
      visits.size(), disturbed);
}

}  // namespace

Html rounds_section(const RunResults& results) {
  const Looks looks = looks_of(results);
  Html charts;
  for (const Ranking& contract : results.rankings) {
    const LineChart chart = rounds_chart(results, contract, looks);
    if (!chart.lines.empty()) charts += element("div", {{"class", "charts"}}, draw(chart)) + legend_of(chart);
  }
  if (charts.empty()) return {};
  return charts + element("p", {{"class", "key"}}, html_text(visits_text(results.records.visits)));
}

}  // namespace ddlbench::bench
