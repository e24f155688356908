#pragma once

#include <chrono>
#include <limits>
#include <optional>

namespace ddlbench::bench {

/// When a run must have ended; nothing: it has no limit.
using Deadline = std::optional<std::chrono::steady_clock::time_point>;

/// Returns a negative number after the deadline, and infinity without one.
inline double seconds_until(const Deadline& deadline) {
  if (!deadline) return std::numeric_limits<double>::infinity();
  return std::chrono::duration<double>(*deadline - std::chrono::steady_clock::now()).count();
}

}  // namespace ddlbench::bench
