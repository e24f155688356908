#include "bench/page/ranks_chart.h"

#include <fmt/core.h>
#include <algorithm>
#include <cmath>
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

}  // namespace

std::vector<ChartLine> lines_over_ranks(const RunResults& results, const std::vector<CaseLine>& lines,
                                        const ValueOfCase& value, const DisplayUnit& unit) {
  std::vector<ChartLine> drawn;
  for (const CaseLine& line : lines) {
    ChartLine points{line.label, line.look, {}};
    for (const Replicates& replicates : line.points) {
      Replicates with_value;
      std::vector<ChartValue> values;
      for (const CaseRow* row : replicates) {
        const auto found = value(*row);
        if (!found || !std::isfinite(found->value) || found->value <= 0) continue;
        with_value.push_back(row);
        values.push_back(*found);
      }
      if (values.empty()) continue;
      const ChartValue estimate = over_seeds(values, Scale::logarithmic);
      points.points.push_back({static_cast<double>(with_value.front()->record.ranks), estimate.value, estimate.low,
                               estimate.high, point_tooltip(with_value, estimate, unit),
                               !are_ranked(results, with_value)});
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
      if (point.low && *point.low > 0) include(*point.low);
      if (point.high) include(*point.high);
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
