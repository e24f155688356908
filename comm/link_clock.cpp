#include "comm/link_clock.h"

#include <algorithm>

namespace ddlbench::comm {

LinkClock::LinkClock(const std::optional<Stall>& stall, Clock::time_point now) : stall_(stall) {
  if (!stall_) return;
  earliest_ = now + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(stall_->after_seconds));
  if (stall_->after_bytes == 0) begin(earliest_);
}

void LinkClock::begin(Clock::time_point now) {
  begin_ = now;
  const auto length = std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(stall_->seconds));
  end_ = stall_->seconds > 0 ? begin_ + length : Clock::time_point::max();
}

void LinkClock::count(std::int64_t bytes, Clock::time_point now) {
  if (!stall_ || begin_ != Clock::time_point::max()) return;
  if (bytes_ >= stall_->after_bytes) return begin(std::max(earliest_, now));
  bytes_ += bytes;
}

Clock::time_point LinkClock::at(Clock::time_point now) const {
  if (now < begin_) return now;
  return now < end_ ? begin_ : now - (end_ - begin_);
}

Clock::time_point LinkClock::when(Clock::time_point link_time) const {
  if (link_time < begin_) return link_time;
  return end_ == Clock::time_point::max() ? end_ : link_time + (end_ - begin_);
}

}  // namespace ddlbench::comm
