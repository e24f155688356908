#include <utility>

#include "fake_nccl.h"

namespace ddlbench::comm::testing {

FakeStream::FakeStream() : thread_([this] { work(); }) {}

FakeStream::~FakeStream() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void FakeStream::put(std::function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back(std::move(work));
  }
  changed_.notify_all();
}

bool FakeStream::idle() {
  const std::lock_guard lock(mutex_);
  return queue_.empty() && !busy_;
}

void FakeStream::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return stop_ || !queue_.empty(); });
    if (queue_.empty()) return;
    const std::function<void()> next = std::move(queue_.front());
    queue_.pop_front();
    busy_ = true;
    lock.unlock();
    next();
    lock.lock();
    busy_ = false;
  }
}

}  // namespace ddlbench::comm::testing
