#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bench/page/html.h"

namespace ddlbench::bench {

/// How a strategy appears in every chart. Colours are of Okabe & Ito's palette, which colour-blind people can
/// distinguish; shapes repeat the distinction for print in grey.
struct Look {
  std::string colour;  ///< of CSS; those that are variables differ between light and dark pages
  int shape = 0;       ///< 0 to marker_shapes − 1
  bool operator==(const Look&) const = default;
};
inline constexpr int marker_shapes = 6;

/// The looks of all strategies of a run. A kind of strategy always has the same colour; the shape distinguishes
/// settings of one kind.
class Looks {
 public:
  /// `strategies` are labels: the kind, then settings ("zero stage=3"). They may repeat.
  explicit Looks(const std::vector<std::string>& strategies);
  /// Returns the look of one of them. Throws ContractError for another.
  Look of(const std::string& strategy) const;

 private:
  std::vector<std::string> strategies_;   ///< each once
  std::vector<std::string> other_kinds_;  ///< those without a fixed colour
};

/// Returns a marker of the shape around a point, 8 units wide. A hollow one shows a case that is not ranked.
Html marker(double x, double y, const Look& look, bool hollow, const std::string& tooltip);

/// An entry of a legend below a chart.
struct LegendEntry {
  enum class Sign { line, patch, guide };
  std::string label;
  Look look;
  Sign sign = Sign::line;
};

/// Returns the entries as a list, each label once.
Html legend(const std::vector<LegendEntry>& entries);

}  // namespace ddlbench::bench
