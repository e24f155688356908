#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/page/axis.h"
#include "bench/page/html.h"

namespace ddlbench::bench {

struct BarSegment {
  double value = 0;
  std::string colour;
  std::string tooltip;
};

/// A horizontal bar with its label above it.
struct Bar {
  std::string label;
  std::vector<BarSegment> segments;  ///< from left to right; drawn where they are positive
  bool pale = false;                 ///< a case that is not ranked
  std::optional<double> low, high;   ///< an interval of the bar's end
  std::optional<double> diamond;     ///< a value to compare with
  std::string diamond_tooltip;
};

struct BarChart {
  std::string title;
  std::string description;
  Axis x;  ///< from zero
  std::vector<Bar> bars;
};

/// Returns stacked horizontal bars, from top to bottom.
Html draw(const BarChart& chart);

/// A value with its interval and its label above it.
struct IntervalRow {
  std::string label;
  double value = 0, low = 0, high = 0;
  std::string colour;
  std::string tooltip;
};

/// Returns points with intervals over a common horizontal axis, one row each.
Html draw_intervals(const std::string& title, const std::string& description, const Axis& x,
                    const std::vector<IntervalRow>& rows);

}  // namespace ddlbench::bench
