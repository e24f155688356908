#pragma once

#include <cstdint>
#include <string>

namespace ddlbench {

/// Formats a time with three significant digits in a suitable unit: "1.23 ms", "45.6 s".
std::string format_seconds(double seconds);

/// Formats a mean and its interval: "1.23 ± 0.05 ms", "1.234 ± 0.002 ms". The half-width is the larger of the two
/// sides; up to four decimals are printed so that it does not appear as zero.
std::string format_interval(double seconds, double low, double high);

/// Formats a size: "512 B", "1.50 MiB".
std::string format_bytes(std::int64_t bytes);

/// Formats a size with its exact value, because close sizes look alike in MiB: "1.50 MiB (1572864 bytes)".
std::string format_exact_bytes(std::int64_t bytes);

/// Formats a ratio with three significant digits and without an exponent: "0.87", "1.62", "12.3", "145".
std::string format_ratio(double ratio);

/// Formats `part` as a percentage of `whole`: "12.5 %". Returns "" if `whole` is not positive.
std::string format_percentage(double part, double whole);

/// Formats a duration: "12 s", "3:07 min", "1:02:03 h".
std::string format_duration(double seconds);

}  // namespace ddlbench
