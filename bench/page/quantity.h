#pragma once

#include <string>
#include <vector>

namespace ddlbench::bench {

/// The unit of a column or an axis: a value is shown as value / factor, followed by the name.
struct DisplayUnit {
  double factor = 1;
  std::string name;  ///< empty: a number without a unit
};

/// Return the unit in which `typical` is at least 1, for times in seconds, sizes in bytes and rates per second. Minutes
/// and hours are used from two on.
DisplayUnit time_unit(double typical_seconds);
DisplayUnit byte_unit(double typical_bytes);

/// Returns the middle of the values; 0 if there are none. A column's unit suits this value.
double typical(std::vector<double> values);

/// Returns a number with this many significant digits or more, without an exponent: "0.9107", "12.3", "1234".
std::string significant(double value, int digits);

/// Returns the value in the unit, without the unit's name.
std::string in_unit(double value, const DisplayUnit& unit, int digits);

/// Returns the value in the unit that suits it: "1.213 ms".
std::string quantity(double value, const DisplayUnit& unit, int digits);

}  // namespace ddlbench::bench
