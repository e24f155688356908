#pragma once

#include <chrono>

namespace ddlbench {

/// Returns the time from `begin` to now, in seconds.
inline double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace ddlbench
