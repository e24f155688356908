#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

/// Finding the rank for which the others wait, where ranks are processes.
namespace ddlbench::comm {

/// By rank: how many collectives of a group it has started, as it answered a query. No value: it did not answer.
using Answers = std::vector<std::optional<std::uint64_t>>;

/// Returns the first rank that did not answer, preferably `suspect`, or −1 if all did. `own` needs no answer.
int first_unanswered(const Answers& answers, int own, int suspect);

/// Returns the first member of a group, beginning with member `first`, that has not started the collective with this
/// number; the member `first` if all have. `members` are ranks; `own` has started it.
int first_behind(const Answers& answers, int own, const std::vector<int>& members, int first, std::uint64_t sequence);

/// For how long each rank has not answered.
class UnansweredPings {
 public:
  using Clock = std::chrono::steady_clock;

  explicit UnansweredPings(int ranks) : since_(static_cast<std::size_t>(ranks)) {}

  void pinged(int rank, Clock::time_point at);
  void heard(int rank);  ///< any message of a rank counts as its answer
  void forget();         ///< forgets all pings: this process could not take the answers
  /// Returns the time since the first ping after the rank's last message; 0 if there was none.
  Clock::duration silence(int rank, Clock::time_point now) const;

 private:
  std::vector<std::optional<Clock::time_point>> since_;  ///< by rank
};

}  // namespace ddlbench::comm
