#include "bench/page/looks.h"

#include <fmt/core.h>
#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "base/error.h"
#include "bench/page/svg.h"

namespace ddlbench::bench {
namespace {

struct KindColour {
  std::string_view kind, colour;
};
constexpr std::array<KindColour, 9> kind_colours{{{"single", "var(--ink)"},
                                                  {"ddp", "#0072B2"},
                                                  {"zero", "#E69F00"},
                                                  {"fsdp", "var(--brown)"},
                                                  {"tensor", "#D55E00"},
                                                  {"gpipe", "#009E73"},
                                                  {"1f1b", "#56B4E9"},
                                                  {"interleaved", "#CC79A7"},
                                                  {"hybrid", "var(--grey)"}}};

/// The colours of the other kinds, in the order in which a run has them.
constexpr std::array<std::string_view, 7> other_colours{"#F0E442", "#AA4499", "#999933", "#44AA99",
                                                        "#8877CC", "#BB5566", "#66CCEE"};

std::string kind_of(const std::string& strategy) {
  return strategy.substr(0, strategy.find(' '));
}

const KindColour* fixed_colour(const std::string& kind) {
  const auto* const found = std::find_if(kind_colours.begin(), kind_colours.end(),
                                         [&kind](const KindColour& known) { return known.kind == kind; });
  return found == kind_colours.end() ? nullptr : found;
}

/// The outlines of the shapes around (0, 0), as relative SVG paths: circle, square, two triangles, diamond, pentagon.
constexpr std::array<std::string_view, marker_shapes> outlines{"m-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z",
                                                               "m-3.5-3.5h7v7h-7z",
                                                               "m0-4.6l4.6 8h-9.2z",
                                                               "m0-5l5 5l-5 5l-5-5z",
                                                               "m0 4.6l4.6-8h-9.2z",
                                                               "m0-4.6l4.4 3.2l-1.7 5.1h-5.4l-1.7-5.1z"};

Html swatch(const LegendEntry& entry) {
  Html sign;
  switch (entry.sign) {
    case LegendEntry::Sign::patch:
      sign = empty_element("rect",
                           {{"x", "7"}, {"y", "1"}, {"width", "12"}, {"height", "12"}, {"fill", entry.look.colour}});
      break;
    case LegendEntry::Sign::guide:
      sign = svg_line(0, 7, 26, 7, "guide");
      break;
    case LegendEntry::Sign::line:
      sign = empty_element("path", {{"class", "line"}, {"d", "M0 7H26"}, {"stroke", entry.look.colour}}) +
             marker(13, 7, entry.look, false, "");
      break;
  }
  return element("svg", {{"viewBox", "0 0 26 14"}, {"class", "swatch"}, {"aria-hidden", "true"}}, sign);
}

}  // namespace

Looks::Looks(const std::vector<std::string>& strategies) {
  for (const std::string& strategy : strategies) {
    if (std::find(strategies_.begin(), strategies_.end(), strategy) == strategies_.end())
      strategies_.push_back(strategy);
    const std::string kind = kind_of(strategy);
    if (fixed_colour(kind) == nullptr &&
        std::find(other_kinds_.begin(), other_kinds_.end(), kind) == other_kinds_.end())
      other_kinds_.push_back(kind);
  }
}

Look Looks::of(const std::string& strategy) const {
  const auto found = std::find(strategies_.begin(), strategies_.end(), strategy);
  require(found != strategies_.end(), "a look of a strategy that is not in the run");
  Look look;
  const std::string kind = kind_of(strategy);
  const KindColour* const fixed = fixed_colour(kind);
  const auto other = std::find(other_kinds_.begin(), other_kinds_.end(), kind) - other_kinds_.begin();
  look.colour =
      fixed != nullptr ? fixed->colour : other_colours[static_cast<std::size_t>(other) % other_colours.size()];
  look.shape = static_cast<int>(found - strategies_.begin()) % marker_shapes;
  return look;
}

Html marker(double x, double y, const Look& look, bool hollow, const std::string& tooltip) {
  const std::string_view outline = outlines.at(static_cast<std::size_t>(look.shape));
  Html title;
  if (!tooltip.empty()) title = element("title", html_text(tooltip));
  return element("path",
                 {{"class", hollow ? "hollow" : "marker"},
                  {hollow ? Literal("stroke") : Literal("fill"), look.colour},
                  {"d", fmt::format("M{} {}{}", coordinate(x), coordinate(y), outline)}},
                 title);
}

Html legend(const std::vector<LegendEntry>& entries) {
  Html items;
  std::set<std::string> shown;
  for (const LegendEntry& entry : entries) {
    if (shown.insert(entry.label).second) items += element("li", swatch(entry) + html_text(entry.label));
  }
  return element("ul", {{"class", "legend"}}, items);
}

}  // namespace ddlbench::bench
