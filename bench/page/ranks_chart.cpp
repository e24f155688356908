#include "bench/page/ranks_chart.h"

#include <fmt/core.h>
#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

namespace ddlbench::bench {
namespace {

std::string point_tooltip(const Replicates& replicates, const ChartValue& value, const DisplayUnit& unit) {
  constexpr int digits = 4;
  std::string text = fmt::format("{}: {}", describe_replicates(replicates), quantity(value.value, unit, digits));
  if (value.low && value.high)
    text += fmt::format(" [{}, {}]", in_unit(*value.low, unit, digits), in_unit(*value.high, unit, digits));
  return text;
}

bool has_positive(const std::optional<ChartValue>& value) {
  return value && std::isfinite(value->value) && value->value > 0;
}

}  // namespace

std::vector<ChartLine> lines_over_ranks(const RunResults& results, const std::vector<CaseLine>& lines,
                                        const ValueOfCase& value, const DisplayUnit& unit) {
  std::vector<ChartLine> drawn;
  for (const CaseLine& line : lines) {
    ChartLine points{line.label, line.look, {}};
    for (const Replicates& replicates : line.points) {
      Replicates with_value;
      std::copy_if(replicates.begin(), replicates.end(), std::back_inserter(with_value),
                   [&](const CaseRow* row) { return has_positive(value(*row)); });
      if (with_value.empty()) continue;
      // As in the table of the seeds, the times of cases that are not ranked do not count beside those that are.
      const Replicates counted =
          preferred(with_value, [&](const CaseRow& row) { return results.is_ranked(row.record); });
      std::vector<ChartValue> values;
      for (const CaseRow* row : counted) values.push_back(*value(*row));
      const ChartValue estimate = over_seeds(values, Scale::logarithmic);
      points.points.push_back({static_cast<double>(counted.front()->record.ranks), estimate.value, estimate.low,
                               estimate.high, point_tooltip(counted, estimate, unit), !any_ranked(results, counted)});
    }
    if (!points.points.empty()) drawn.push_back(std::move(points));
  }
  return drawn;
}

ValueRange range_of(const std::vector<ChartLine>& lines, const std::vector<GuideLine>& guides) {
  ValueRange range{std::numeric_limits<double>::infinity(), 0};
  const auto include = [&](double value) {
    range.low = std::min(range.low, value);
    range.high = std::max(range.high, value);
  };
  for (const ChartLine& line : lines) {
    for (const ChartPoint& point : line.points) {
      include(point.y);
      // An interval over two seeds can be so wide that it would hide the points.
      if (point.low) include(std::max(*point.low, point.y / 2));
      if (point.high) include(std::min(*point.high, point.y * 2));
    }
  }
  for (const GuideLine& guide : guides) {
    for (const auto& [x, y] : guide.points) include(y);
  }
  return range.high > 0 ? range : ValueRange{};
}

Axis axis_of_range(const std::string& title, const DisplayUnit& unit, const ValueRange& range) {
  return far_apart(range.low, range.high) ? logarithmic_axis(title, unit, range.low, range.high)
                                          : axis_from_zero(title, unit, range.high);
}

Axis ranks_axis_of(const std::vector<ChartLine>& lines) {
  std::vector<double> ranks;
  for (const ChartLine& line : lines) {
    for (const ChartPoint& point : line.points) ranks.push_back(point.x);
  }
  return ranks_axis(std::move(ranks));
}

}  // namespace ddlbench::bench
