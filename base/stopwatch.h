#pragma once

#include <chrono>
#include <cstdint>

namespace ddlbench {

/// Returns the time from `begin` to now, in seconds.
inline double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// Returns a time as a setting has it, in whole milliseconds.
inline std::chrono::milliseconds milliseconds_of(double seconds) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
}

}  // namespace ddlbench
