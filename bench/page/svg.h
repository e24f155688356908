#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bench/page/axis.h"
#include "bench/page/html.h"

namespace ddlbench::bench {

/// All charts are this wide, in the units of their coordinates, so that their text has one size. The page shows a unit
/// as about one pixel: on a telephone a chart fills the screen, on a wide screen several stand side by side.
inline constexpr double chart_width = 400;

/// The area of a chart between its axes, in SVG coordinates (y grows downwards).
struct PlotArea {
  double left, top, width, height;

  double right() const { return left + width; }
  double bottom() const { return top + height; }
  double x(const Axis& axis, double value) const { return left + axis.share(value) * width; }
  double y(const Axis& axis, double value) const { return bottom() - axis.share(value) * height; }
};

/// Returns a coordinate with at most two decimals.
std::string coordinate(double value);

/// Returns an SVG picture with a title and a description for those who do not see it.
Html picture(double width, double height, const std::string& title, const std::string& description,
             const Html& content);

enum class Anchor { start, middle, end };
Html svg_text(double x, double y, std::string_view text, Anchor anchor = Anchor::start, Literal css_class = "label");
Html svg_line(double x1, double y1, double x2, double y2, Literal css_class);

/// Returns a rectangle that shows `tooltip` under the mouse pointer.
Html svg_bar(double x, double y, double width, double height, const std::string& colour, const std::string& tooltip);

/// Returns the text, or its beginning and an ellipsis if it has more than `most` characters.
std::string shortened(const std::string& text, std::size_t most);

/// Return grid lines, tick labels and the title of an axis. The vertical axis has its title above the area.
Html horizontal_axis(const Axis& axis, const PlotArea& area);
Html vertical_axis(const Axis& axis, const PlotArea& area);

/// Returns a figure of the page: a caption above, and the picture and its legend.
Html figure(const std::string& caption, const Html& content);

}  // namespace ddlbench::bench
