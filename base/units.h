#pragma once

#include <cstdint>
#include <string>

namespace ddlbench {

/// Three significant digits in the unit that fits: "1.23 ms", "45.6 s".
std::string format_seconds(double seconds);

/// "1.23 ± 0.05 ms", "1.234 ± 0.002 ms": the half-width is the larger of the two sides, and has a digit to show.
std::string format_interval(double seconds, double low, double high);

/// "512 B", "1.50 MiB"
std::string format_bytes(std::int64_t bytes);

/// "1.50 MiB (1572864 bytes)": nobody tells close numbers apart in MiB.
std::string format_exact_bytes(std::int64_t bytes);

/// Three significant digits, never in exponents: "0.87", "1.62", "12.3", "145".
std::string format_ratio(double ratio);

/// "12 s", "3:07 min", "1:02:03 h"
std::string format_duration(double seconds);

}  // namespace ddlbench
