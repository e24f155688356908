#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "comm/communicator.h"

namespace ddlbench::comm {

/// What Progress advances.
class Advancing {
 public:
  /// Held while advancing: the owner and the helper take turns.
  std::mutex& mutex() { return mutex_; }
  /// As far as it goes without waiting; true if anything moved. Called with the mutex held.
  virtual bool advance() = 0;
  /// Always there, such as a process's notes: where nothing else is under way, a helper that polls looks rarely.
  virtual bool stands() const { return false; }

 protected:
  ~Advancing() = default;

 private:
  std::mutex mutex_;
};

/// Advances one rank's started operations while their owner computes: a helper thread that sleeps when
/// nothing can move. While the owner attends to communication itself, it advances them instead.
class Progress {
 public:
  /// How news of peers come: by notify() alone, or only to those who look (MPI). Who looks for them: the helper
  /// four times a millisecond while an operation is under way and shortly after, else a hundred times a second; and a
  /// waiting owner all the time, yielding its core to whoever wants it.
  enum class News : std::uint8_t { told, polled };

  /// `spin`: whether the owner may spin a little before it blocks (a core for each rank).
  explicit Progress(bool spin, News news = News::told);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Reserves a place, so that add() does not allocate.
  void enroll();
  void withdraw();
  void add(Advancing& operation);
  void remove(Advancing& operation);

  /// Something may be able to move. From any thread.
  void notify();
  /// Something will be able to move at `when`, about which nobody will tell. From any thread.
  void notify_at(Clock::time_point when);

  /// The owner's stay in a call. Brief: it may hold one operation. Waiting: it advances all, and is woken in
  /// place of the helper. What happened meanwhile, or since its last pass, is left to the helper at the end.
  enum class Stay : std::uint8_t { brief, waiting };
  class Attendance {
   public:
    Attendance(Progress& progress, Stay stay);
    ~Attendance();
    Attendance(const Attendance&) = delete;
    Attendance& operator=(const Attendance&) = delete;

    /// Advances all started operations once; true if anything moved.
    bool pass();
    /// Returns when something may have happened since the last pass began, or at the deadline.
    void sleep(Clock::time_point deadline);
    void leave_work_to_helper() { work_left_ = true; }

   private:
    Progress& progress_;
    void poll(Clock::time_point deadline);

    std::uint64_t seen_;
    bool work_left_ = false;
    Clock::time_point quiet_since_{};  ///< of polling: nothing has moved since
  };

 private:
  bool pass();
  void help();
  void wake_helper();
  /// When the helper, which found nothing to do, looks again by itself; in the far future: not before it is woken.
  Clock::time_point next_look();
  /// The earliest time told to notify_at() that is still to come; in the far future where there is none.
  Clock::time_point next_alarm() const;

  const bool spin_;
  const bool polls_;
  std::mutex list_mutex_;
  std::vector<Advancing*> active_;
  std::atomic<std::size_t> active_count_{0};  ///< without what stands
  std::size_t places_ = 0;

  // Whoever is about to sleep says so, then looks at the epoch; whoever has news moves the epoch, then
  // looks for sleepers: sequentially consistent, one of the two always sees the other.
  std::atomic<std::uint64_t> epoch_{0};
  std::atomic<Clock::rep> alarm_;  ///< since the clock's epoch
  std::atomic<bool> attending_{false};
  std::atomic<bool> owner_asleep_{false};
  std::atomic<bool> helper_asleep_{false};
  std::atomic<bool> wake_at_start_{false};  ///< the helper looks rarely: it is to be woken when something starts
  int quiet_looks_ = 0;            ///< of the helper, on end: nothing was under way, nor had been since the last
  std::uint64_t quiet_epoch_ = 0;  ///< at the last of them
  std::mutex sleep_mutex_;
  std::condition_variable owner_wakes_;
  std::condition_variable helper_wakes_;
  bool stop_ = false;
  std::thread helper_;
};

}  // namespace ddlbench::comm
