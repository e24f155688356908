#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace ddlbench::bench {

/// How processes wait for each other.
struct Meeting {
  std::chrono::milliseconds timeout;  ///< who gives no sign of life for so long is lost; one that does may come late, …
  std::optional<std::chrono::milliseconds> time_to_come = std::nullopt;  ///< … but for this
};

/// Gives what rank 0 has to all processes that an MPI launcher started together, each of which calls this. Waits
/// for them politely. Throws CommunicationError where one is lost or late.
std::string share(const std::string& text, const Meeting& meeting);

/// The same of a number of each rank, on all of them by rank.
std::vector<int> share_all(int number, const Meeting& meeting);

}  // namespace ddlbench::bench
