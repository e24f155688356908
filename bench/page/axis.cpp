#include "bench/page/axis.h"

#include <fmt/core.h>
#include <algorithm>
#include <cmath>

namespace ddlbench::bench {
namespace {

std::string titled(const std::string& title, const DisplayUnit& unit) {
  return unit.name.empty() ? title : fmt::format("{} ({})", title, unit.name);
}

/// Returns ticks that are round in the unit.
std::vector<double> in_base_units(std::vector<double> ticks, const DisplayUnit& unit) {
  for (double& tick : ticks) tick *= unit.factor;
  return ticks;
}

/// Returns factors × 10^e between the limits, for every `stride`-th e.
std::vector<double> per_decade(double low, double high, const std::vector<double>& factors, int stride) {
  std::vector<double> ticks;
  constexpr double tolerance = 1e-9;
  const int first = static_cast<int>(std::floor(std::log10(low))), last = static_cast<int>(std::ceil(std::log10(high)));
  for (int exponent = first; exponent <= last; ++exponent) {
    if ((exponent - first) % stride != 0) continue;
    for (const double factor : factors) {
      const double tick = factor * std::pow(10, exponent);
      if (tick >= low * (1 - tolerance) && tick <= high * (1 + tolerance)) ticks.push_back(tick);
    }
  }
  return ticks;
}

bool is_power_of_two(double value) {
  return std::exp2(std::round(std::log2(value))) == value;
}

}  // namespace

std::vector<double> linear_ticks(double low, double high, int most) {
  const double rough = (high - low) / most;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0, 10.0, 20.0}) {
    const double step = factor * power;
    const double tolerance = 1e-9 * step;
    const auto first = static_cast<long long>(std::ceil((low - tolerance) / step));
    const auto last = static_cast<long long>(std::floor((high + tolerance) / step));
    if (last - first + 1 > most) continue;
    std::vector<double> ticks;
    for (long long i = first; i <= last; ++i) ticks.push_back(static_cast<double>(i) * step);
    return ticks;
  }
  return {low, high};
}

std::vector<double> logarithmic_ticks(double low, double high, int most) {
  for (const std::vector<double>& factors : {std::vector<double>{1, 2, 5}, {1, 3}, {1}}) {
    std::vector<double> ticks = per_decade(low, high, factors, 1);
    if (static_cast<int>(ticks.size()) <= most && ticks.size() > 1) return ticks;
    if (factors.size() == 3 && ticks.size() <= 1) return linear_ticks(low, high, most);
  }
  for (int stride = 2;; ++stride) {
    std::vector<double> ticks = per_decade(low, high, {1}, stride);
    if (static_cast<int>(ticks.size()) <= most) return ticks;
  }
}

double Axis::share(double value) const {
  if (!logarithmic) return (value - low) / (high - low);
  return std::log(value / low) / std::log(high / low);
}

std::string Axis::label(double tick) const {
  return fmt::format("{:.10g}", std::round(tick / unit.factor * 1e9) / 1e9);
}

Axis axis_from_zero(const std::string& title, const DisplayUnit& unit, double largest, int most_ticks) {
  const double high = largest > 0 ? largest / unit.factor * 1.04 : 1;
  return {titled(title, unit), unit,  0,
          high * unit.factor,  false, in_base_units(linear_ticks(0, high, most_ticks), unit)};
}

Axis axis_between(const std::string& title, const DisplayUnit& unit, double smallest, double largest, int most_ticks) {
  double low = smallest / unit.factor, high = largest / unit.factor;
  double margin = 0.05 * (high - low);
  if (margin <= 0) margin = low == 0 ? 0.5 : 0.05 * std::abs(low);
  const bool never_negative = low >= 0;
  low -= margin;
  high += margin;
  if (never_negative) low = std::max(low, 0.0);
  return {titled(title, unit), unit,  low * unit.factor,
          high * unit.factor,  false, in_base_units(linear_ticks(low, high, most_ticks), unit)};
}

Axis logarithmic_axis(const std::string& title, const DisplayUnit& unit, double smallest, double largest,
                      int most_ticks) {
  // Limits far beyond those of any measurement, within which ticks are finite numbers.
  constexpr double least = 1e-300, most = 1e300;
  const double low = std::clamp(smallest / unit.factor / 1.25, least, most);
  const double high = std::clamp(largest / unit.factor * 1.25, low * 2, 2 * most);
  return {titled(title, unit), unit, low * unit.factor,
          high * unit.factor,  true, in_base_units(logarithmic_ticks(low, high, most_ticks), unit)};
}

Axis ranks_axis(std::vector<double> ranks) {
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  constexpr std::size_t most = 8;
  constexpr double margin = 1.25;
  Axis axis{"Ranks", {}, ranks.front() / margin, ranks.back() * margin, true, ranks};
  if (ranks.size() > most) {
    std::erase_if(axis.ticks, [](double rank) { return !is_power_of_two(rank); });
    if (axis.ticks.empty()) axis.ticks = logarithmic_ticks(axis.low, axis.high, static_cast<int>(most));
  }
  return axis;
}

bool far_apart(double smallest, double largest) {
  constexpr double most = 8;
  return smallest > 0 && largest > most * smallest;
}

}  // namespace ddlbench::bench
