#pragma once

#include <string>
#include <vector>

#include "bench/page/quantity.h"

namespace ddlbench::bench {

/// Returns round numbers from `low` to `high`, both included where they are round: multiples of 1, 2 or 5 times a power
/// of ten, at most `most` (2 or more) of them. `low` must be less than `high`.
std::vector<double> linear_ticks(double low, double high, int most);

/// Returns the numbers 1, 2 and 5 times a power of ten from `low` to `high`, or fewer of them so that there are at most
/// `most`: 1 and 3, then powers of ten only, then every other power, and so on. `low` must be positive.
std::vector<double> logarithmic_ticks(double low, double high, int most);

/// An axis of a chart. Values, limits and ticks are in base units (seconds, bytes); labels are in `unit`.
struct Axis {
  std::string title;  ///< with the unit: "Epoch time (s)"
  DisplayUnit unit;
  double low = 0;
  double high = 1;
  bool logarithmic = false;
  std::vector<double> ticks;

  double share(double value) const;  ///< position of a value: 0 at `low`, 1 at `high`
  std::string label(double tick) const;
};

/// Return an axis whose title is followed by the unit in parentheses. Ranges without extent are widened.
Axis axis_from_zero(const std::string& title, const DisplayUnit& unit, double largest, int most_ticks = 6);
/// The range, a margin of 5 % on both sides, and no value below 0 if `smallest` is not.
Axis axis_between(const std::string& title, const DisplayUnit& unit, double smallest, double largest,
                  int most_ticks = 6);
Axis logarithmic_axis(const std::string& title, const DisplayUnit& unit, double smallest, double largest,
                      int most_ticks = 6);
/// A logarithmic axis with the given values as ticks: numbers of ranks. If they are more than eight, only powers of
/// two.
Axis ranks_axis(std::vector<double> ranks);

/// Returns whether values lie so far apart that a linear axis from zero would hide the small ones.
bool far_apart(double smallest, double largest);

}  // namespace ddlbench::bench
