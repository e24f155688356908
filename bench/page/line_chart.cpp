#include "bench/page/line_chart.h"

#include <fmt/core.h>
#include <algorithm>
#include <cmath>

#include "bench/page/svg.h"

namespace ddlbench::bench {
namespace {

constexpr PlotArea line_area{50, 28, chart_width - 50 - 12, 220};
constexpr double line_chart_height = 290;

bool inside(const Axis& axis, double value) {
  return (!axis.logarithmic || value > 0) && axis.share(value) >= -1e-9 && axis.share(value) <= 1 + 1e-9;
}

/// Returns the value, or the end of the axis that it lies beyond.
double clipped(const Axis& axis, double value) {
  return std::clamp(value, axis.low, axis.high);
}

bool has_interval(const ChartPoint& point) {
  return point.low && point.high && !std::isnan(*point.low) && !std::isnan(*point.high);
}

class LineDrawing {
 public:
  explicit LineDrawing(const LineChart& chart) : chart_(chart) {}

  Html guides() const {
    Html html;
    for (const GuideLine& guide : chart_.guides) {
      std::string path;
      for (const auto& [x, y] : guide.points) extend(path, x, y);
      html += element("path", {{"class", "guide"}, {"d", path}}, element("title", html_text(guide.label)));
    }
    return html;
  }

  Html line(const ChartLine& line) const {
    Html bands, points;
    std::string path;
    if (line.joined && !chart_.intervals_of_x) bands = band(line);
    for (const ChartPoint& point : line.points) {
      if (!inside(chart_.x, point.x) || !inside(chart_.y, point.y)) continue;
      extend(path, point.x, point.y);
      points += interval(point, line.look) + marker(x(point.x), y(point.y), line.look, point.hollow, point.tooltip);
    }
    if (!line.joined) return points;
    return bands + empty_element("path", {{"class", "line"}, {"stroke", line.look.colour}, {"d", path}}) + points;
  }

 private:
  double x(double value) const { return line_area.x(chart_.x, value); }
  double y(double value) const { return line_area.y(chart_.y, value); }

  void extend(std::string& path, double at_x, double at_y) const {
    if (!inside(chart_.x, at_x) || !inside(chart_.y, at_y)) return;
    path += fmt::format("{}{} {}", path.empty() ? 'M' : 'L', coordinate(x(at_x)), coordinate(y(at_y)));
  }

  Html band(const ChartLine& line) const {
    std::string above, below;
    for (const ChartPoint& point : line.points) {
      if (!has_interval(point) || !inside(chart_.x, point.x) || !inside(chart_.y, point.y)) continue;
      const double low = clipped(chart_.y, *point.low), high = clipped(chart_.y, *point.high);
      above += fmt::format("{}{} {}", above.empty() ? 'M' : 'L', coordinate(x(point.x)), coordinate(y(high)));
      below = fmt::format("L{} {}", coordinate(x(point.x)), coordinate(y(low))) + below;
    }
    if (above.empty()) return {};
    return empty_element("path", {{"class", "band"}, {"fill", line.look.colour}, {"d", above + below + "z"}});
  }

  Html interval(const ChartPoint& point, const Look& look) const {
    if (!has_interval(point)) return {};
    const Axis& axis = chart_.intervals_of_x ? chart_.x : chart_.y;
    const double low = clipped(axis, *point.low), high = clipped(axis, *point.high);
    const std::string path =
        chart_.intervals_of_x
            ? fmt::format("M{} {}H{}", coordinate(x(low)), coordinate(y(point.y)), coordinate(x(high)))
            : fmt::format("M{} {}V{}", coordinate(x(point.x)), coordinate(y(low)), coordinate(y(high)));
    return empty_element("path", {{"class", "line"}, {"stroke", look.colour}, {"d", path}});
  }

  const LineChart& chart_;
};

}  // namespace

Html draw(const LineChart& chart) {
  const LineDrawing drawing(chart);
  Html content = horizontal_axis(chart.x, line_area) + vertical_axis(chart.y, line_area) + drawing.guides();
  for (const ChartLine& line : chart.lines) content += drawing.line(line);
  return figure(chart.title, picture(chart_width, line_chart_height, chart.title, chart.description, content));
}

Html legend_of(const LineChart& chart) {
  std::vector<LegendEntry> entries;
  for (const ChartLine& line : chart.lines) entries.push_back({line.label, line.look, LegendEntry::Sign::line});
  for (const GuideLine& guide : chart.guides) entries.push_back({guide.label, {}, LegendEntry::Sign::guide});
  return legend(entries);
}

}  // namespace ddlbench::bench
