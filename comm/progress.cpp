#include "comm/progress.h"

#include <algorithm>
#include <limits>

#include "comm/polling.h"

namespace ddlbench::comm {

namespace {

// About 10 µs, the cost of a wake-up.
constexpr int spins = 400;
// Instead of spinning where ranks share cores, so that another rank can run. A yield can also give the core to another
// process for a whole time slice; a thread that sleeps is woken sooner.
constexpr int yields = 16;

// The helper's polling interval: long enough to cost the computing owner only about a hundredth of its core.
constexpr std::chrono::microseconds poll_interval{250};
// After this many idle polls (half a millisecond), the helper polls rarely and is woken when an operation starts. With
// fewer, ranks that communicate again and again would pay for wake-ups. Without a limit, ranks that only compute would
// pay for 4,000 polls per second: on a virtual machine 4 % of a core.
constexpr int max_idle_polls = 2;
constexpr std::chrono::milliseconds idle_poll_interval{10};

constexpr Clock::rep never = std::numeric_limits<Clock::rep>::max();

void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

Progress::Progress(bool spin, EventSource news)
    : spin_(spin), polls_(news == EventSource::polled), alarm_(never), helper_([this] { help(); }) {}

Progress::~Progress() {
  {
    const std::lock_guard lock(sleep_mutex_);
    stop_ = true;
  }
  helper_wakes_.notify_all();
  helper_.join();
}

void Progress::reserve_slot() {
  const std::lock_guard lock(list_mutex_);
  ++places_;
  active_.reserve(places_);
}

void Progress::release_slot() {
  const std::lock_guard lock(list_mutex_);
  --places_;
}

void Progress::add(Advanceable& operation) {
  {
    const std::lock_guard lock(list_mutex_);
    active_.push_back(&operation);
    if (operation.is_permanent()) return;
    active_count_.fetch_add(1);
  }
  if (!wake_at_start_.load()) return;
  epoch_.fetch_add(1);
  wake_helper();
}

void Progress::remove(Advanceable& operation) {
  {
    const std::lock_guard lock(list_mutex_);
    const auto place = std::find(active_.begin(), active_.end(), &operation);
    if (place != active_.end()) {
      active_.erase(place);
      if (!operation.is_permanent()) active_count_.fetch_sub(1);
    }
  }
  // A pass in progress may have skipped an operation. This makes it poll again before it sleeps.
  epoch_.fetch_add(1);
}

void Progress::notify() {
  epoch_.fetch_add(1);
  if (owner_blocks_.load()) {
    if (!owner_asleep_.load()) return;
    { const std::lock_guard lock(sleep_mutex_); }
    owner_wakes_.notify_one();
  } else {
    wake_helper();
  }
}

void Progress::notify_at(Clock::time_point when) {
  const Clock::rep wanted = when.time_since_epoch().count();
  Clock::rep current = alarm_.load();
  while (wanted < current && !alarm_.compare_exchange_weak(current, wanted)) {
  }
  // A thread that sleeps past the new time must be woken.
  if (wanted < current) notify();
}

Clock::time_point Progress::next_alarm() const {
  return Clock::time_point(Clock::duration(alarm_.load()));
}

void Progress::wake_helper() {
  if (!helper_asleep_.load()) return;
  { const std::lock_guard lock(sleep_mutex_); }
  helper_wakes_.notify_one();
}

bool Progress::pass() {
  bool moved = false;
  // An operation that still needs the alarm sets it again when it is advanced.
  if (alarm_.load() != never && Clock::now() >= next_alarm()) alarm_.store(never);
  for (std::size_t i = 0;; ++i) {
    Advanceable* operation = nullptr;
    {
      const std::lock_guard lock(list_mutex_);
      while (i < active_.size() && !active_[i]->mutex().try_lock()) ++i;
      if (i >= active_.size()) return moved;
      operation = active_[i];
    }
    const std::lock_guard lock(operation->mutex(), std::adopt_lock);
    moved |= operation->advance();
  }
}

Clock::time_point Progress::next_poll() {
  const Clock::time_point alarm = owner_blocks_.load() ? Clock::time_point::max() : next_alarm();
  if (!polls_) return alarm;
  const std::uint64_t epoch = epoch_.load();  // anything that started and ended since the last poll has changed it
  idle_polls_ = active_count_.load() == 0 && epoch == idle_epoch_ ? idle_polls_ + 1 : 0;
  idle_epoch_ = epoch;
  // Set before the last check: a thread that starts an operation now is either seen here or sees that it must wake the
  // helper.
  wake_at_start_.store(idle_polls_ >= max_idle_polls);
  if (wake_at_start_.load() && active_count_.load() == 0) return std::min(alarm, Clock::now() + idle_poll_interval);
  wake_at_start_.store(false);
  return std::min(alarm, Clock::now() + poll_interval);
}

void Progress::help() {
  while (true) {
    const std::uint64_t seen = epoch_.load();
    if (!owner_blocks_.load()) {
      const bool moved = pass();
      // The owner may have begun to wait meanwhile and may have skipped an operation that this thread held.
      if (moved || epoch_.load() != seen) {
        notify();
        continue;
      }
    }
    std::unique_lock lock(sleep_mutex_);
    if (stop_) return;
    helper_asleep_.store(true);
    const auto news = [&] { return stop_ || epoch_.load() != seen; };
    const Clock::time_point poll_time = next_poll();
    if (poll_time == Clock::time_point::max()) {
      helper_wakes_.wait(lock, news);
    } else {
      helper_wakes_.wait_until(lock, poll_time, news);
    }
    helper_asleep_.store(false);
  }
}

Progress::OwnerCall::OwnerCall(Progress& progress, CallMode mode) : progress_(progress) {
  if (mode == CallMode::blocking) progress_.owner_blocks_.store(true);
  seen_ = progress_.epoch_.load();
}

Progress::OwnerCall::~OwnerCall() {
  progress_.owner_blocks_.store(false);
  if (progress_.active_count_.load() == 0) return;
  // A polling helper polls soon anyway, and a wake-up per operation would cost more than the operation.
  const bool news = !progress_.polls_ && progress_.epoch_.load() != seen_;
  if (!work_left_ && !news && progress_.alarm_.load() == never) return;
  progress_.epoch_.fetch_add(1);
  progress_.wake_helper();
}

bool Progress::OwnerCall::pass() {
  seen_ = progress_.epoch_.load();
  const bool moved = progress_.pass();
  if (moved) idle_since_ = {};
  return moved;
}

void Progress::OwnerCall::poll(Clock::time_point deadline) {
  if (idle_since_ == Clock::time_point{}) idle_since_ = Clock::now();
  pause_polling(idle_since_, std::min(deadline, progress_.next_alarm()));
}

void Progress::OwnerCall::sleep(Clock::time_point deadline) {
  if (progress_.polls_) return poll(deadline);
  deadline = std::min(deadline, progress_.next_alarm());
  const auto news = [this] { return progress_.epoch_.load() != seen_; };
  for (int i = 0; i < (progress_.spin_ ? spins : yields); ++i) {
    if (news()) return;
    progress_.spin_ ? pause() : std::this_thread::yield();
  }
  std::unique_lock lock(progress_.sleep_mutex_);
  progress_.owner_asleep_.store(true);
  progress_.owner_wakes_.wait_until(lock, deadline, news);
  progress_.owner_asleep_.store(false);
}

}  // namespace ddlbench::comm
