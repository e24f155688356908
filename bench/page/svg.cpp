#include "bench/page/svg.h"

#include <fmt/core.h>
#include <algorithm>

namespace ddlbench::bench {

std::string coordinate(double value) {
  std::string text = fmt::format("{:.2f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

Html picture(double width, double height, const std::string& title, const std::string& description,
             const Html& content) {
  const std::string size = fmt::format("0 0 {} {}", coordinate(width), coordinate(height));
  return element("svg", {{"viewBox", size}, {"role", "img"}},
                 element("title", html_text(title)) + element("desc", html_text(description)) + content);
}

Html svg_text(double x, double y, std::string_view text, Anchor anchor, Literal css_class) {
  Attributes attributes{{"x", coordinate(x)}, {"y", coordinate(y)}, {"class", std::string(css_class.text)}};
  if (anchor == Anchor::middle) attributes.push_back({"text-anchor", "middle"});
  if (anchor == Anchor::end) attributes.push_back({"text-anchor", "end"});
  return element("text", attributes, html_text(text));
}

Html svg_line(double x1, double y1, double x2, double y2, Literal css_class) {
  return empty_element(
      "path", {{"class", std::string(css_class.text)},
               {"d", fmt::format("M{} {}L{} {}", coordinate(x1), coordinate(y1), coordinate(x2), coordinate(y2))}});
}

Html svg_bar(double x, double y, double width, double height, const std::string& colour, const std::string& tooltip) {
  return element("rect",
                 {{"x", coordinate(x)},
                  {"y", coordinate(y)},
                  {"width", coordinate(width)},
                  {"height", coordinate(height)},
                  {"fill", colour}},
                 element("title", html_text(tooltip)));
}

std::string shortened(const std::string& text, std::size_t most) {
  std::size_t characters = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool begins_character = (static_cast<unsigned char>(text[at]) & 0xC0) != 0x80;
    if (begins_character && ++characters == most) {
      const bool ends_here = std::none_of(text.begin() + static_cast<std::ptrdiff_t>(at) + 1, text.end(),
                                          [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
      return ends_here ? text : text.substr(0, at) + "…";
    }
  }
  return text;
}

Html horizontal_axis(const Axis& axis, const PlotArea& area) {
  Html html;
  for (const double tick : axis.ticks) {
    const double x = area.x(axis, tick);
    html += svg_line(x, area.top, x, area.bottom(), "grid");
    html += svg_text(x, area.bottom() + 15, axis.label(tick), Anchor::middle, "tick");
  }
  html += svg_line(area.left, area.bottom(), area.right(), area.bottom(), "axis");
  return html + svg_text(area.left + area.width / 2, area.bottom() + 32, axis.title, Anchor::middle);
}

Html vertical_axis(const Axis& axis, const PlotArea& area) {
  Html html;
  for (const double tick : axis.ticks) {
    const double y = area.y(axis, tick);
    html += svg_line(area.left, y, area.right(), y, "grid");
    html += svg_text(area.left - 6, y + 4, axis.label(tick), Anchor::end, "tick");
  }
  html += svg_line(area.left, area.top, area.left, area.bottom(), "axis");
  return html + svg_text(2, area.top - 12, axis.title);
}

Html figure(const std::string& caption, const Html& content) {
  return element("figure", element("figcaption", html_text(caption)) + content);
}

}  // namespace ddlbench::bench
