#include <fmt/core.h>
#include <algorithm>

#include "bench/page/bar_chart.h"
#include "bench/page/budget_colours.h"
#include "bench/page/quantity.h"
#include "bench/page/sections.h"

namespace ddlbench::bench {
namespace {

Bar budget_bar(const CaseRow& row, const Measurement& measured, bool pale) {
  Bar bar{describe_case(row.record), {}, pale, measured.step_seconds_low, measured.step_seconds_high, {}, ""};
  for (const program::Budget::Part& part : program::Budget::parts) {
    const double seconds = measured.budget.*part.seconds;
    bar.segments.push_back(
        {seconds, budget_colour(part.seconds),
         fmt::format("{}, {}: {}", row.record.case_id, part.name, quantity(seconds, time_unit(seconds), 3))});
  }
  return bar;
}

}  // namespace

Html budget_section(const RunResults& results) {
  BarChart chart{"Where a step's time goes, mean over ranks", "The parts of the step time of each case.", {}, {}};
  double largest = 0;
  for (const CaseRow& row : results.rows) {
    const Measurement* measured = timed_measurement(row.record);
    if (measured == nullptr) continue;
    chart.bars.push_back(budget_bar(row, *measured, !results.is_ranked(row.record)));
    largest = std::max({largest, measured->budget.total(), measured->step_seconds_high});
  }
  if (chart.bars.empty()) return {};
  chart.x = axis_from_zero("Step time", time_unit(largest), largest);
  return element("div", {{"class", "charts"}}, draw(chart)) + budget_legend() +
         element("p", {{"class", "key"}},
                 html_text("The parts sum to the step time; the whisker is its 95 % interval. A bubble is a wait for "
                           "other ranks. Pale bars belong to "
                           "cases without a place in the ranking."));
}

}  // namespace ddlbench::bench
