#include "bench/page/bar_chart.h"

#include <fmt/core.h>

#include "bench/page/looks.h"
#include "bench/page/svg.h"

namespace ddlbench::bench {
namespace {

constexpr double bar_left = 8, bar_right = 16, bar_top = 4, axis_space = 40;
constexpr double label_height = 15, bar_height = 14, row_pitch = 37;
constexpr std::size_t label_characters = 58;

PlotArea rows_area(std::size_t rows) {
  return {bar_left, bar_top, chart_width - bar_left - bar_right, row_pitch * static_cast<double>(rows)};
}

Html whisker(double x1, double x2, double y) {
  const double half = 3;
  return empty_element("path",
                       {{"class", "whisker"},
                        {"d", fmt::format("M{0} {2}V{3}M{0} {4}H{1}M{1} {2}V{3}", coordinate(x1), coordinate(x2),
                                          coordinate(y - half), coordinate(y + half), coordinate(y))}});
}

/// An interval as a bar with ends, and its value as a line across it.
Html interval_bar(const IntervalRow& row, double low, double value, double high, double y) {
  const double half = bar_height / 2;
  const std::string line = fmt::format(
      "M{0} {3}V{4}M{1} {5}V{6}M{2} {3}V{4}M{0} {7}H{2}", coordinate(low), coordinate(value), coordinate(high),
      coordinate(y - half / 2), coordinate(y + half / 2), coordinate(y - half), coordinate(y + half), coordinate(y));
  return element("g", element("title", html_text(row.tooltip)) +
                          svg_bar(low, y - half / 2, high - low, half, row.colour, row.tooltip) +
                          empty_element("path", {{"class", "line"}, {"stroke", row.colour}, {"d", line}}));
}

Html row_label(const std::string& label, double y) {
  return svg_text(bar_left, y + label_height - 4, shortened(label, label_characters));
}

Html bar_row(const Bar& bar, const Axis& axis, const PlotArea& area, double y) {
  Html segments;
  double sum = 0;
  for (const BarSegment& segment : bar.segments) {
    if (segment.value <= 0) continue;
    const double begin = area.x(axis, sum);
    sum += segment.value;
    segments +=
        svg_bar(begin, y + label_height, area.x(axis, sum) - begin, bar_height, segment.colour, segment.tooltip);
  }
  Html html = element("g", {{"class", bar.pale ? "pale" : "solid"}}, segments);
  const double middle = y + label_height + bar_height / 2;
  if (bar.low && bar.high) html += whisker(area.x(axis, *bar.low), area.x(axis, *bar.high), middle);
  if (bar.diamond) html += marker(area.x(axis, *bar.diamond), middle, {"var(--ink)", 3}, false, bar.diamond_tooltip);
  return html + row_label(bar.label, y);
}

}  // namespace

Html draw(const BarChart& chart) {
  const PlotArea area = rows_area(chart.bars.size());
  Html content = horizontal_axis(chart.x, area);
  for (std::size_t i = 0; i < chart.bars.size(); ++i) {
    content += bar_row(chart.bars[i], chart.x, area, bar_top + row_pitch * static_cast<double>(i));
  }
  return figure(chart.title, picture(chart_width, area.bottom() + axis_space, chart.title, chart.description, content));
}

Html draw_intervals(const std::string& title, const std::string& description, const Axis& x,
                    const std::vector<IntervalRow>& rows) {
  const PlotArea area = rows_area(rows.size());
  Html content = horizontal_axis(x, area);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const IntervalRow& row = rows[i];
    const double y = bar_top + row_pitch * static_cast<double>(i), middle = y + label_height + bar_height / 2;
    content += interval_bar(row, area.x(x, row.low), area.x(x, row.value), area.x(x, row.high), middle);
    content += row_label(row.label, y);
  }
  return figure(title, picture(chart_width, area.bottom() + axis_space, title, description, content));
}

}  // namespace ddlbench::bench
