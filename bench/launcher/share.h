#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace ddlbench::bench {

/// How long processes wait for each other.
struct WaitLimits {
  std::chrono::milliseconds timeout;  ///< a process without a sign of life for this long is lost; a live one may arrive
                                      ///< late, …
  std::optional<std::chrono::milliseconds> arrival_timeout = std::nullopt;  ///< … but by no more than this
};

/// Broadcasts rank 0's `text` to all processes that were started together, over the transport for which they were
/// started; each of them calls this. Waits without occupying the cores. Throws CommunicationError if a process is lost
/// or late. Processes that ddlbench itself started have no limit for late ones.
std::string share(const std::string& text, const WaitLimits& limits);

/// Gathers a number of each rank; returns all of them by rank, on all ranks.
std::vector<int> share_all(int number, const WaitLimits& limits);

/// Gathers a text of each rank, likewise.
std::vector<std::string> share_all(const std::string& text, const WaitLimits& limits);

}  // namespace ddlbench::bench
