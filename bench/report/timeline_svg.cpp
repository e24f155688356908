#include <fmt/core.h>
#include <algorithm>
#include <cmath>

#include "base/printable.h"
#include "bench/report/timeline_drawing.h"

namespace ddlbench::bench {

namespace {

constexpr double left_margin = 70, right_margin = 20, top = 44, row_height = 34, bar = 20, strip = 5, plot_width = 1000;
constexpr double legend_height = 44, axis_height = 40;

std::string number(double value) {
  return fmt::format("{:.2f}", value);
}

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : printable(text)) {
    if (c == '&') {
      result += "&amp;";
    } else if (c == '<') {
      result += "&lt;";
    } else if (c == '"') {
      result += "&quot;";
    } else {
      result += c;
    }
  }
  return result;
}

std::string text_at(double x, double y, const std::string& text, const std::string& attributes = "") {
  return fmt::format("<text x=\"{}\" y=\"{}\" {}>{}</text>\n", number(x), number(y), attributes, escaped(text));
}

std::string rectangle(double x, double y, double width, double height, std::string_view color) {
  return fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"/>\n", number(x), number(y),
                     number(width), number(height), color);
}

/// Returns the distance of ticks: 1, 2 or 5 times a power of ten, with at most ten intervals.
double tick_of(double length) {
  const double rough = length / 10;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= rough) return factor * power;
  }
  return 10 * power;
}

struct Unit {
  const char* name;
  double nanoseconds;
};

Unit unit_of(std::int64_t length) {
  if (length >= 2000000000) return {"s", 1e9};
  if (length >= 2000000) return {"ms", 1e6};
  return {"µs", 1e3};
}

std::string shortest(double value) {
  return fmt::format("{:g}", value);
}

std::string axis(double length, double y, const Unit& unit) {
  std::string svg;
  const double scale = plot_width / length;
  const double tick = tick_of(length);
  for (int i = 0; i * tick <= length * (1 + 1e-9); ++i) {
    const double x = left_margin + i * tick * scale;
    svg += fmt::format("<line x1=\"{}\" x2=\"{}\" y1=\"{}\" y2=\"{}\" stroke=\"#999999\" stroke-width=\"0.5\"/>\n",
                       number(x), number(x), number(top), number(y + 5));
    svg += text_at(x, y + 18, shortest(i * tick), "text-anchor=\"middle\"");
  }
  return svg + text_at(left_margin + plot_width / 2, y + 35,
                       std::string("time since the first rank began (") + unit.name + ")", "text-anchor=\"middle\"");
}

std::string row_of(const Drawing::Row& row, double y, double scale) {
  std::string svg = text_at(left_margin - 8, y + bar - 5, row.name, "text-anchor=\"end\"");
  for (const Stretch& stretch : row.stretches) {
    const double x = left_margin + static_cast<double>(stretch.begin) * scale;
    const double width = static_cast<double>(stretch.end - stretch.begin) * scale;
    svg += rectangle(x, y, width, bar, style(stretch.kind).color);
    const std::string label = stretch.microbatch < 0 ? "" : std::to_string(stretch.microbatch);
    const bool dark = stretch.kind == StretchKind::forward || stretch.kind == StretchKind::recompute;
    if (!label.empty() && width > 7.0 * static_cast<double>(label.size()) + 2) {
      svg += text_at(x + width / 2, y + bar - 6, label,
                     std::string("text-anchor=\"middle\" fill=\"") + (dark ? "white" : "black") + "\"");
    }
  }
  for (const Stretch& transfer : row.transfers) {
    svg += rectangle(left_margin + static_cast<double>(transfer.begin) * scale, y + bar + 1,
                     std::max(0.5, static_cast<double>(transfer.end - transfer.begin) * scale), strip,
                     style(StretchKind::communicate).color);
  }
  return svg;
}

}  // namespace

std::string timeline_svg(const Drawing& drawing, const std::string& title) {
  const Unit unit = unit_of(drawing.length);
  const double length = std::max(1.0, static_cast<double>(drawing.length));
  const double bottom = top + row_height * static_cast<double>(drawing.rows.size());
  const double height = bottom + axis_height + legend_height;
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\" font-family=\"sans-serif\" "
      "font-size=\"12\">\n",
      number(left_margin + plot_width + right_margin), number(height));
  svg += rectangle(0, 0, left_margin + plot_width + right_margin, height, "white");
  svg += text_at(left_margin, 24, title, "font-size=\"15\"");
  svg += axis(length / unit.nanoseconds, bottom, unit);
  for (std::size_t i = 0; i < drawing.rows.size(); ++i) {
    svg += row_of(drawing.rows[i], top + row_height * static_cast<double>(i), plot_width / length);
  }
  double x = left_margin;
  for (int i = 0; i < stretch_kinds; ++i) {
    const StretchStyle& known = style(static_cast<StretchKind>(i));
    svg += rectangle(x, height - 26, 14, 14, known.color);
    svg += text_at(x + 19, height - 14, std::string(known.label));
    x += 40 + 7 * static_cast<double>(known.label.size());
  }
  return svg + "</svg>\n";
}

}  // namespace ddlbench::bench
