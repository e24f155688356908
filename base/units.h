#pragma once

#include <cstdint>
#include <string>

namespace ddlbench {

/// Formats a time with three significant digits in a suitable unit: "1.23 ms", "45.6 s".
std::string format_seconds(double seconds);

/// Formats an estimate and its interval with enough digits to distinguish them: "1.23 [1.18, 1.28] ms".
std::string format_interval(double seconds, double low, double high);

/// The unit of a column of times, in which each cell has no unit of its own.
class TimeUnit {
 public:
  /// Chooses the unit in which the largest of the column's times is at least 1, or nanoseconds.
  explicit TimeUnit(double largest_seconds);
  const char* name() const { return name_; }
  std::string format(double seconds) const;                                    ///< "1.23"
  std::string format_interval(double seconds, double low, double high) const;  ///< "1.23 [1.18, 1.28]"

 private:
  double factor_;
  const char* name_;
};

/// Formats a size: "512 B", "1.50 MiB".
std::string format_bytes(std::int64_t bytes);

/// Formats a size with its exact value, because close sizes look alike in MiB: "1.50 MiB (1572864 bytes)".
std::string format_exact_bytes(std::int64_t bytes);

/// Formats a ratio with three significant digits and without an exponent: "0.87", "1.62", "12.3", "145".
std::string format_ratio(double ratio);

/// Formats a ratio near 1 with three decimals, in which a difference of a tenth of a percent shows: "1.012"; others as
/// format_ratio() does.
std::string format_fine_ratio(double ratio);

/// Formats `part` as a percentage of `whole`: "12.5 %". Returns "" if `whole` is not positive.
std::string format_percentage(double part, double whole);

/// Formats a duration: "12 s", "3:07 min", "1:02:03 h".
std::string format_duration(double seconds);

}  // namespace ddlbench
