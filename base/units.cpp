#include "base/units.h"

#include <fmt/core.h>
#include <algorithm>
#include <cmath>

namespace ddlbench {

namespace {

std::string fixed(double value, int decimals) {
  return fmt::format("{:.{}f}", value, decimals);
}

/// Returns the number of decimals (at most two) that shows three significant digits.
int decimals_of(double value) {
  const double size = std::abs(value);
  return size < 9.995 ? 2 : size < 99.95 ? 1 : 0;
}

/// Does the same for values that may be far below 1.
int small_decimals_of(double value) {
  const double size = std::abs(value);
  return size > 0 && size < 0.9995 ? std::min(2 - static_cast<int>(std::floor(std::log10(size))), 9)
                                   : decimals_of(value);
}

struct Scale {
  double factor;
  const char* unit;
};

Scale scale_of(double seconds) {
  const double size = std::abs(seconds);
  if (size < 0.9995e-6) return {1e9, "ns"};
  if (size < 0.9995e-3) return {1e6, "us"};
  if (size < 0.9995) return {1e3, "ms"};
  return {1, "s"};
}

}  // namespace

std::string format_seconds(double seconds) {
  const Scale scale = scale_of(seconds);
  const double value = seconds * scale.factor;
  return fmt::format("{} {}", fixed(value, decimals_of(value)), scale.unit);
}

TimeUnit::TimeUnit(double largest_seconds) {
  const Scale scale = scale_of(largest_seconds);
  factor_ = scale.factor;
  name_ = scale.unit;
}

std::string TimeUnit::format(double seconds) const {
  const double value = seconds * factor_;
  return fixed(value, small_decimals_of(value));
}

std::string TimeUnit::format_interval(double seconds, double low, double high) const {
  const double value = seconds * factor_;
  const double half = std::max(high - seconds, seconds - low) * factor_;
  int decimals = small_decimals_of(value);
  for (int more = 0; more < 2 && half > 0 && half * std::pow(10, decimals) < 0.95; ++more) ++decimals;
  return fmt::format("{} [{}, {}]", fixed(value, decimals), fixed(low * factor_, decimals),
                     fixed(high * factor_, decimals));
}

std::string format_interval(double seconds, double low, double high) {
  const TimeUnit unit(seconds);
  return fmt::format("{} {}", unit.format_interval(seconds, low, high), unit.name());
}

std::string format_bytes(std::int64_t bytes) {
  static constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1023.95 && unit + 1 < std::size(units)) {
    value /= 1024;
    ++unit;
  }
  return fmt::format("{} {}", fixed(value, unit == 0 ? 0 : decimals_of(value)), units[unit]);
}

std::string format_exact_bytes(std::int64_t bytes) {
  return fmt::format("{} ({} bytes)", format_bytes(bytes), bytes);
}

std::string format_ratio(double ratio) {
  return fixed(ratio, decimals_of(ratio));
}

std::string format_fine_ratio(double ratio) {
  return ratio >= 0.5 && ratio < 1.9995 ? fixed(ratio, 3) : format_ratio(ratio);
}

std::string format_percentage(double part, double whole) {
  return whole > 0 ? format_ratio(100 * part / whole) + " %" : "";
}

std::string format_duration(double seconds) {
  const auto whole = static_cast<long long>(std::llround(std::max(seconds, 0.0)));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{}:{:02} min", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02} h", whole / 3600, whole / 60 % 60, whole % 60);
}

}  // namespace ddlbench
