#pragma once

#include <cstdint>
#include <optional>

#include "comm/communicator.h"

namespace ddlbench::comm {

/// The time of a link, which stands still while the link is stalled. Whatever happens on the link is scheduled in this
/// time, so that a stall delays all of it equally.
class LinkClock {
 public:
  /// `stall`: of this link, if it has one. The clock begins at `now`.
  LinkClock(const std::optional<Stall>& stall, Clock::time_point now);

  /// Reports that the rank sends a message now. The message that reaches Stall::after_bytes still passes.
  void count(std::int64_t bytes, Clock::time_point now);

  bool stalled(Clock::time_point now) const { return now >= begin_ && now < end_; }
  /// Returns the link's time at `now`.
  Clock::time_point at(Clock::time_point now) const;
  /// Returns when the link's time will be `link_time`; the maximum time point if never.
  Clock::time_point when(Clock::time_point link_time) const;

 private:
  void begin(Clock::time_point now);

  std::optional<Stall> stall_;
  Clock::time_point earliest_ = Clock::time_point::max();  ///< when Stall::after_seconds have passed
  std::int64_t bytes_ = 0;
  Clock::time_point begin_ = Clock::time_point::max();
  Clock::time_point end_ = Clock::time_point::max();
};

}  // namespace ddlbench::comm
