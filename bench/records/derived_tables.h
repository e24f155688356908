#pragma once

#include <chrono>
#include <functional>
#include <utility>

namespace ddlbench::bench {

/// Keeps the tables of a run up to its journal, from the whole of which they are derived each time: after each of the
/// first 100 cases, later where nine times as long has passed since the last time as that took. So they take a tenth of
/// the time of a long run, however many its cases are.
class DerivedTables {
 public:
  using Clock = std::chrono::steady_clock;
  explicit DerivedTables(std::function<void()> derive, std::function<Clock::time_point()> now = Clock::now)
      : derive_(std::move(derive)), now_(std::move(now)) {}

  void note_case();  ///< one has ended, and is in the journal
  void bring_up();   ///< derives them, unless no case has ended since

 private:
  std::function<void()> derive_;
  std::function<Clock::time_point()> now_;
  int cases_ = 0;
  bool behind_ = false;
  Clock::time_point derived_at_{};
  Clock::duration took_{};
};

}  // namespace ddlbench::bench
