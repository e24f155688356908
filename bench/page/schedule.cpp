#include <fmt/core.h>
#include <algorithm>
#include <array>

#include "bench/page/budget_colours.h"
#include "bench/page/sections.h"
#include "bench/page/svg.h"

namespace ddlbench::bench {
namespace {

constexpr double schedule_width = 800, row_distance = 34, stretch_height = 20, transfer_height = 5;
constexpr std::size_t longest_section = 120'000;  ///< bytes of drawings, so that a page stays small

/// Joins stretches of one kind into the data of one path. What is narrower than a tenth of a unit is drawn as wide, and
/// stretches that begin at the place of the previous one are left out.
class StretchPath {
 public:
  void add(double x, double y, double width, double height) {
    const std::string begin = fmt::format("{:.1f}", x), across = fmt::format("{:.1f}", std::max(width, 0.1));
    const std::string key = begin + " " + coordinate(y);
    if (key == last_) return;
    last_ = key;
    path_ += fmt::format("M{}h{}v{}h-{}z", key, across, coordinate(height), across);
  }
  const std::string& data() const { return path_; }

 private:
  std::string path_, last_;
};

class ScheduleDrawing {
 public:
  explicit ScheduleDrawing(const Drawing& drawing)
      : drawing_(drawing),
        unit_(time_unit(seconds(drawing.length))),
        axis_(axis_from_zero("Time since the step began", unit_, seconds(drawing.length), 8)),
        area_{56, 6, schedule_width - 56 - 16, row_distance * static_cast<double>(drawing.rows.size())} {}

  Html picture_of(const std::string& title) const {
    std::array<StretchPath, stretch_kinds> paths;
    Html names;
    for (std::size_t i = 0; i < drawing_.rows.size(); ++i) {
      const double y = area_.top + row_distance * static_cast<double>(i);
      names += svg_text(area_.left - 6, y + 15, drawing_.rows[i].name, Anchor::end);
      for (const Stretch& stretch : drawing_.rows[i].stretches) add(paths, stretch, y, stretch_height);
      for (const Stretch& transfer : drawing_.rows[i].transfers)
        add(paths, transfer, y + stretch_height + 1, transfer_height);
    }
    Html content = horizontal_axis(axis_, area_);
    for (int kind = 0; kind < stretch_kinds; ++kind) {
      const std::string& data = paths[static_cast<std::size_t>(kind)].data();
      if (data.empty()) continue;
      content += element("path", {{"fill", stretch_colour(static_cast<StretchKind>(kind))}, {"d", data}},
                         element("title", html_text(style(static_cast<StretchKind>(kind)).label)));
    }
    return picture(schedule_width, area_.bottom() + 40, title,
                   "What each rank does over time; the thin line below a rank is its messages in flight.",
                   content + names);
  }

 private:
  static double seconds(std::int64_t nanoseconds) { return static_cast<double>(nanoseconds) * 1e-9; }

  void add(std::array<StretchPath, stretch_kinds>& paths, const Stretch& stretch, double y, double height) const {
    const double begin = area_.x(axis_, seconds(stretch.begin)), end = area_.x(axis_, seconds(stretch.end));
    paths[static_cast<std::size_t>(stretch.kind)].add(begin, y, end - begin, height);
  }

  const Drawing& drawing_;
  DisplayUnit unit_;
  Axis axis_;
  PlotArea area_;
};

}  // namespace

Html schedule_section(const RunResults& results) {
  Html html;
  std::size_t left_out = 0;
  for (const CaseRow& row : results.rows) {
    const auto found = results.schedules.find(row.record.case_id);
    if (found == results.schedules.end() || found->second.rows.empty()) continue;
    const std::string title = describe_case(row.record);
    const Html drawn = figure(
        title,
        element(
            "div",
            {{"class", "scroll wide"}, {"role", "region"}, {"tabindex", "0"}, {"aria-label", "Schedule of " + title}},
            ScheduleDrawing(found->second).picture_of(title)));
    if (html.str().size() + drawn.str().size() > longest_section) {
      ++left_out;
    } else {
      html += drawn;
    }
  }
  if (html.empty() && left_out == 0) return {};
  html += schedule_legend();
  if (left_out > 0)
    html += element("p", {{"class", "key"}}, html_text(fmt::format("{} more are too large for this page.", left_out)));
  return html + element("p", {{"class", "key"}},
                        html_text("One measured step. The folder trace/ has the steps of all cases, for a viewer of "
                                  "Chrome traces."));
}

}  // namespace ddlbench::bench
