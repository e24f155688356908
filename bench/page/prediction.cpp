#include <fmt/core.h>
#include <algorithm>
#include <cmath>
#include <limits>

#include "bench/page/case_lines.h"
#include "bench/page/line_chart.h"
#include "bench/page/sections.h"
#include "bench/page/svg.h"

namespace ddlbench::bench {
namespace {

std::string error_text(double predicted, double measured) {
  return fmt::format("{:+.1f} %", 100 * (predicted / measured - 1));
}

ChartPoint predicted_point(const CaseRow& row, const Measurement& measured, const DisplayUnit& unit, bool hollow) {
  const double predicted = measured.prediction->step_seconds;
  return {measured.step_seconds,
          predicted,
          measured.step_seconds_low,
          measured.step_seconds_high,
          fmt::format("{}: measured {}, predicted {} ({})", describe_case(row.record),
                      quantity(measured.step_seconds, unit, 4), quantity(predicted, unit, 4),
                      error_text(predicted, measured.step_seconds)),
          hollow};
}

/// Returns the measurement of a case that a logarithmic chart can show, otherwise nullptr.
const Measurement* comparable_measurement(const CaseRecord& record) {
  const Measurement* measured = timed_measurement(record);
  if (measured == nullptr || !measured->prediction) return nullptr;
  const double predicted = measured->prediction->step_seconds;
  return std::isfinite(predicted) && predicted > 0 && measured->step_seconds_low > 0 ? measured : nullptr;
}

/// Returns "as measured" and the lines 30 % above and below.
std::vector<GuideLine> prediction_guides(double low, double high) {
  constexpr double share = 0.3;
  std::vector<GuideLine> guides{{"prediction = measurement", {{low, low}, {high, high}}}};
  for (const double factor : {1 + share, 1 / (1 + share)}) {
    const double first = std::max(low, low / factor), last = std::min(high, high / factor);
    guides.push_back({"30 % more or less", {{first, first * factor}, {last, last * factor}}});
  }
  return guides;
}

}  // namespace

Html prediction_section(const RunResults& results) {
  const Looks looks = looks_of(results);
  double low = std::numeric_limits<double>::infinity(), high = 0;
  for (const CaseRow& row : results.rows) {
    const Measurement* measured = comparable_measurement(row.record);
    if (measured == nullptr) continue;
    low = std::min({low, measured->step_seconds_low, measured->prediction->step_seconds});
    high = std::max({high, measured->step_seconds_high, measured->prediction->step_seconds});
  }
  if (high <= 0) return {};
  const DisplayUnit unit = time_unit(high);
  LineChart chart{"Predicted against measured step time",
                  "One point for each case. Exact predictions lie on the diagonal.",
                  logarithmic_axis("Measured step time", unit, low, high, 5),
                  logarithmic_axis("Predicted step time", unit, low, high),
                  {},
                  {}};
  chart.intervals_of_x = true;
  for (const CaseRow& row : results.rows) {
    const Measurement* measured = comparable_measurement(row.record);
    if (measured == nullptr) continue;
    ChartLine line{row.record.strategy,
                   looks.of(row.record.strategy),
                   {predicted_point(row, *measured, unit, !results.is_ranked(row.record))},
                   false};
    chart.lines.push_back(std::move(line));
  }
  chart.guides = prediction_guides(chart.x.low, chart.x.high);
  return element("div", {{"class", "charts"}}, draw(chart)) + legend_of(chart) +
         element("p", {{"class", "key"}},
                 html_text("ddlbench predicts a step from times of single operators and collectives. Hollow marks "
                           "have no place in the ranking."));
}

}  // namespace ddlbench::bench
