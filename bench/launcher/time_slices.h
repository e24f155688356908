#pragma once

#include <chrono>
#include <cstddef>
#include <vector>

namespace ddlbench::bench {

/// A process that can be suspended with all of its descendants.
class Suspendable {
 public:
  virtual ~Suspendable() = default;
  virtual void suspend() = 0;
  virtual void resume() = 0;
  virtual bool has_ended() const = 0;
};

/// Lets one of several processes run for a time slice while the others are suspended, and then the next one. Without
/// any process, nothing happens.
class TimeSlices {
 public:
  using Clock = std::chrono::steady_clock;

  explicit TimeSlices(std::chrono::milliseconds length) : length_(length) {}

  /// Adds a process that has just started, which must outlive this object, and suspends it, so that no two run when the
  /// next one starts.
  void add(Suspendable& process);
  /// Begins the first time slice.
  void begin();
  /// Passes the turn on if the time slice is over, or if its process has ended or waits for the others.
  void update();
  /// Lets the current process wait until each other one waits, too, or has ended, or until end_waits().
  void wait_for_others() { waits_[current_] = true; }
  void end_waits() { waits_.assign(processes_.size(), false); }
  /// Ends the time slices: from now on all processes run at the same time.
  void end();

  std::size_t current() const { return current_; }
  Clock::time_point slice_end() const { return slice_end_; }

 private:
  bool can_run(std::size_t i) const { return !processes_[i]->has_ended() && !waits_[i]; }
  void pass_on();

  std::chrono::milliseconds length_;
  std::vector<Suspendable*> processes_;
  std::vector<bool> waits_;
  std::size_t current_ = 0;
  Clock::time_point slice_end_ = Clock::time_point::max();
  bool ended_ = false;
};

}  // namespace ddlbench::bench
