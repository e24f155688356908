#include "bench/page/quantity.h"

#include <fmt/core.h>
#include <algorithm>
#include <array>
#include <cmath>

namespace ddlbench::bench {

DisplayUnit time_unit(double typical_seconds) {
  if (typical_seconds >= 7200) return {3600, "h"};
  if (typical_seconds >= 120) return {60, "min"};
  if (typical_seconds >= 1) return {1, "s"};
  if (typical_seconds >= 1e-3) return {1e-3, "ms"};
  if (typical_seconds >= 1e-6) return {1e-6, "µs"};
  return {1e-9, "ns"};
}

DisplayUnit byte_unit(double typical_bytes) {
  constexpr std::array names{"TiB", "GiB", "MiB", "KiB"};
  double factor = 0x1p40;
  for (const char* name : names) {
    if (typical_bytes >= factor) return {factor, name};
    factor /= 1024;
  }
  return {1, "B"};
}

double typical(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::string significant(double value, int digits) {
  if (!std::isfinite(value)) return fmt::format("{}", value);
  if (value == 0) return "0";
  const double rounded = std::stod(fmt::format("{:.{}e}", value, digits - 1));
  const int before = static_cast<int>(std::floor(std::log10(std::abs(rounded)))) + 1;
  return fmt::format("{:.{}f}", value, std::max(0, digits - before));
}

std::string in_unit(double value, const DisplayUnit& unit, int digits) {
  return significant(value / unit.factor, digits);
}

std::string quantity(double value, const DisplayUnit& unit, int digits) {
  return unit.name.empty() ? in_unit(value, unit, digits) : in_unit(value, unit, digits) + " " + unit.name;
}

}  // namespace ddlbench::bench
