#include "bench/page/bar_chart.h"
#include "bench/page/line_chart.h"
#include "bench/page/svg.h"
#include "bench/page/text_parts.h"
#include "catch.h"

using namespace ddlbench::bench;
using ddlbench::test::is_in;
using ddlbench::test::times_in;

namespace {

/// Two points, at the left and the right end of the axes, the second twice as high as the first.
LineChart chart_of_two_points() {
  LineChart chart{"Speed <of it>", "Two points.", {}, {}, {}, {}};
  chart.x = {"Ranks", {}, 1, 4, true, {1, 2, 4}};
  chart.y = {"Speed", {}, 0, 2, false, {0, 1, 2}};
  chart.lines = {{"ddp", {"#0072B2", 0}, {{1, 1, 0.5, 1.5, "first", false}, {4, 2, {}, {}, "second", true}}}};
  chart.guides = {{"ideal", {{1, 1}, {2, 2}}}};
  return chart;
}

}  // namespace

TEST_CASE("coordinates are short") {
  CHECK(coordinate(1.0 / 3) == "0.33");
  CHECK(coordinate(12) == "12");
  CHECK(coordinate(-0.0001) == "0");
  CHECK(shortened("für immer", 4) == "für…");
  CHECK(shortened("für", 3) == "für");
}

TEST_CASE("a line chart places its points, interval and guide by the axes") {
  const Html svg = draw(chart_of_two_points());
  // The area begins at x = 50 with a width of 338, and ends at y = 248 with a height of 220.
  CHECK(is_in(svg.str(), "d=\"M50 138L388 28\""));  // the line
  CHECK(is_in(svg.str(), "d=\"M50 193V83\""));      // the interval of the first point
  CHECK(is_in(svg.str(), "d=\"M50 138L219 28\""));  // the guide
  CHECK(is_in(svg.str(), "class=\"hollow\" stroke=\"#0072B2\" d=\"M388 28"));
  CHECK(is_in(svg.str(), "<title>first</title>"));
  CHECK(is_in(svg.str(), "<title>Speed &lt;of it&gt;</title><desc>Two points.</desc>"));
  CHECK(is_in(legend_of(chart_of_two_points()).str(), "</svg>ideal</li>"));
}

TEST_CASE("what lies outside the axes is not drawn") {
  LineChart chart = chart_of_two_points();
  chart.lines[0].points[1].y = 3;
  CHECK(times_in(draw(chart).str(), "<title>second</title>") == 0);
  CHECK(times_in(draw(chart).str(), "<title>first</title>") == 1);
}

TEST_CASE("stacked bars follow each other, to scale") {
  BarChart chart{"Memory", "One bar.", {}, {}};
  chart.x = {"Memory", {}, 0, 376, false, {0, 100}};  // one unit is one unit of the picture
  chart.bars = {
      {"a case", {{100, "red", "first"}, {0, "green", "empty"}, {50, "blue", "last"}}, true, 140, 160, 200, "peak"}};
  const Html svg = draw(chart);
  CHECK(is_in(svg.str(), "<rect x=\"8\" y=\"19\" width=\"100\" height=\"14\" fill=\"red\">"));
  CHECK(is_in(svg.str(), "<rect x=\"108\" y=\"19\" width=\"50\" height=\"14\" fill=\"blue\">"));
  CHECK(!is_in(svg.str(), "green"));
  CHECK(is_in(svg.str(), "M148 23V29M148 26H168M168 23V29"));
  CHECK(is_in(svg.str(), "class=\"pale\""));
  CHECK(is_in(svg.str(), "<title>peak</title>"));
}

TEST_CASE("intervals are drawn around their values") {
  const Html svg = draw_intervals("Step time", "One row.", {"Step time (s)", {}, 0, 376, false, {0}},
                                  {{"a case", 100, 90, 120, "red", "100"}});
  CHECK(is_in(svg.str(), "<rect x=\"98\" y=\"22.5\" width=\"30\" height=\"7\" fill=\"red\">"));
  CHECK(is_in(svg.str(), "M108 19V33"));
}
