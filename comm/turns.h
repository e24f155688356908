#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

#include "comm/communicator.h"

namespace ddlbench::comm {

class ScheduledOperation;

/// Lets a rank's operations that ask for it (Reduce::in_turn) begin in the order of their starts, a few at a time: an
/// earlier one does not share the link with all that follow. Members without a note are for the rank's own thread.
class Turns {
 public:
  /// With two, the messages of one use the link while the other waits for a peer.
  static constexpr std::int64_t at_once = 2;

  void add(ScheduledOperation& operation) { operations_.push_back(&operation); }
  void remove(ScheduledOperation& operation) { std::erase(operations_, &operation); }
  /// Returns the operations between add() and remove().
  const std::vector<ScheduledOperation*>& operations() const { return operations_; }

  /// Returns the number of the next start.
  std::int64_t take() { return taken_++; }
  /// Returns whether the operation that took `number` may begin. Callable from any thread.
  bool begins(std::int64_t number) const { return number < ended_.load() + at_once; }
  /// Counts an operation that took a number as ended. Callable from any thread.
  void end() { ++ended_; }

  /// Notes that an operation that has begun moved. Callable from any thread.
  void note_moved(Clock::time_point when) { last_moved_.store(when); }
  Clock::time_point last_moved() const { return last_moved_.load(); }

 private:
  std::vector<ScheduledOperation*> operations_;
  std::int64_t taken_ = 0;
  std::atomic<std::int64_t> ended_{0};
  std::atomic<Clock::time_point> last_moved_{};
};

}  // namespace ddlbench::comm
