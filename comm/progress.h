#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "comm/communicator.h"

namespace ddlbench::comm {

/// An object that Progress advances.
class Advanceable {
 public:
  /// Locked during advance(): the owner and the helper take turns.
  std::mutex& mutex() { return mutex_; }
  /// Advances as far as possible without blocking. Returns whether anything changed. Called with the mutex locked.
  virtual bool advance() = 0;
  /// Returns whether the object is always registered, such as the control messages of a process. While only such
  /// objects are registered, a polling helper polls rarely.
  virtual bool is_permanent() const { return false; }

 protected:
  ~Advanceable() = default;

 private:
  std::mutex mutex_;
};

/// Advances the started operations of one rank while their owner computes, in a helper thread that sleeps when there is
/// nothing to do. While the owner is in a blocking call, it advances them instead.
class Progress {
 public:
  /// How events at peers become known: only by notify(), or only by polling (MPI). With polling, the helper polls four
  /// times per millisecond while an operation is in progress and shortly after, otherwise a hundred times per second.
  /// An owner in a blocking call polls all the time and yields its core to other threads.
  enum class EventSource : std::uint8_t { notified, polled };

  /// `spin`: whether the owner may spin briefly before it blocks; sensible if each rank has a core of its own.
  explicit Progress(bool spin, EventSource news = EventSource::notified);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Reserves a slot, so that add() does not allocate.
  void reserve_slot();
  void release_slot();
  void add(Advanceable& operation);
  void remove(Advanceable& operation);

  /// Reports that an operation may be able to advance. Callable from any thread.
  void notify();
  /// Reports that an operation will be able to advance at the time `when`, without another notification. Callable from
  /// any thread.
  void notify_at(Clock::time_point when);

  /// The scope of a call of the owner. In a nonblocking call, it may lock one operation. In a blocking call, it
  /// advances all operations and is woken instead of the helper. Events since its last pass are left to the helper at
  /// the end.
  enum class CallMode : std::uint8_t { nonblocking, blocking };
  class OwnerCall {
   public:
    OwnerCall(Progress& progress, CallMode mode);
    ~OwnerCall();
    OwnerCall(const OwnerCall&) = delete;
    OwnerCall& operator=(const OwnerCall&) = delete;

    /// Advances all started operations once. Returns whether anything changed.
    bool pass();
    /// Returns when an event may have occurred since the last pass began, or at the deadline.
    void sleep(Clock::time_point deadline);
    void leave_work_to_helper() { work_left_ = true; }

   private:
    Progress& progress_;
    void poll(Clock::time_point deadline);

    std::uint64_t seen_;
    bool work_left_ = false;
    Clock::time_point idle_since_{};  ///< for polling: time since which nothing has changed
  };

 private:
  bool pass();
  void help();
  void wake_helper();
  /// Returns when an idle helper polls next by itself; the maximum time point if only when woken.
  Clock::time_point next_poll();
  /// Returns the earliest pending time passed to notify_at(), or the maximum time point if there is none.
  Clock::time_point next_alarm() const;

  const bool spin_;
  const bool polls_;
  std::mutex list_mutex_;
  std::vector<Advanceable*> active_;
  std::atomic<std::size_t> active_count_{0};  ///< without permanent ones
  std::size_t places_ = 0;

  // Protocol against lost wake-ups: a thread that is about to sleep sets its flag and then reads the epoch; a thread
  // with an event increments the epoch and then reads the flags. All accesses are sequentially consistent, so at least
  // one of the two sees the other.
  std::atomic<std::uint64_t> epoch_{0};
  std::atomic<Clock::rep> alarm_;  ///< in ticks since the clock's epoch
  std::atomic<bool> owner_blocks_{false};
  std::atomic<bool> owner_asleep_{false};
  std::atomic<bool> helper_asleep_{false};
  std::atomic<bool> wake_at_start_{false};  ///< the helper polls rarely and must be woken when an operation starts
  int idle_polls_ = 0;            ///< consecutive polls of the helper: nothing in progress, nor since the poll before
  std::uint64_t idle_epoch_ = 0;  ///< the epoch at the last of them
  std::mutex sleep_mutex_;
  std::condition_variable owner_wakes_;
  std::condition_variable helper_wakes_;
  bool stop_ = false;
  std::thread helper_;
};

}  // namespace ddlbench::comm
