#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace ddlbench::bench {

/// Gives what rank 0 has to all processes that an MPI launcher started together, each of which calls this. Waits
/// for them politely. Throws CommunicationError where they do not come in time.
std::string share(const std::string& text, std::chrono::milliseconds timeout);

/// The same of a number of each rank, on all of them by rank.
std::vector<int> share_all(int number, std::chrono::milliseconds timeout);

}  // namespace ddlbench::bench
