#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/page/axis.h"
#include "bench/page/html.h"
#include "bench/page/looks.h"

namespace ddlbench::bench {

struct ChartPoint {
  double x = 0, y = 0;
  std::optional<double> low, high;  ///< an interval of y, or of x where the chart says so
  std::string tooltip;
  bool hollow = false;  ///< a case that is not ranked
};

/// Points of equal look, joined in their order.
struct ChartLine {
  std::string label;
  Look look;
  std::vector<ChartPoint> points;
  bool joined = true;
};

/// A dashed line to compare with, such as the ideal.
struct GuideLine {
  std::string label;
  std::vector<std::pair<double, double>> points;
};

struct LineChart {
  std::string title;        ///< of the figure
  std::string description;  ///< what the picture shows, in a sentence
  Axis x, y;
  std::vector<ChartLine> lines;
  std::vector<GuideLine> guides;
  bool intervals_of_x = false;
};

/// Returns a chart of lines with bands and bars for intervals. Points outside the axes are not drawn, and intervals end
/// at the axes.
Html draw(const LineChart& chart);

/// Returns the legend of charts that share their lines.
Html legend_of(const LineChart& chart);

}  // namespace ddlbench::bench
