#include "comm/throttle.h"

#include <algorithm>
#include <atomic>
#include <utility>

namespace ddlbench::comm {

class ThrottledSend final : public Request {
 public:
  ThrottledSend(Link& link, std::unique_ptr<Request> request) : link_(link), request_(std::move(request)) {}
  ~ThrottledSend() override { link_.cancel(*this); }

  void post(std::uint64_t sequence) override {
    sequence_ = sequence;
    given_.store(false);
    link_.post(*this);
  }

  bool test(std::int64_t limit) override {
    if (!given_.load()) link_.release();
    return given_.load() && request_->test(limit);
  }

  std::int64_t arrived() const override { return 0; }
  std::int64_t bytes() const override { return request_->bytes(); }
  int peer() const override { return request_->peer(); }

 private:
  friend class Link;

  void give() {
    request_->post(sequence_);
    given_.store(true);
  }

  Link& link_;
  std::unique_ptr<Request> request_;
  std::uint64_t sequence_ = 0;
  std::atomic<bool> given_{false};
  // Protected by the link's mutex.
  Clock::time_point due_{};
  ThrottledSend* next_ = nullptr;
};

void Link::post(ThrottledSend& message) {
  {
    const std::lock_guard lock(mutex_);
    const std::chrono::duration<double> transfer(
        throttle_.bytes_per_second > 0 ? static_cast<double>(message.bytes()) / throttle_.bytes_per_second : 0.0);
    const std::chrono::duration<double> latency(throttle_.latency_seconds);
    free_at_ = std::max(free_at_, Clock::now()) + std::chrono::duration_cast<Clock::duration>(transfer);
    message.due_ = free_at_ + std::chrono::duration_cast<Clock::duration>(latency);
    message.next_ = nullptr;
    (last_ ? last_->next_ : first_) = &message;
    last_ = &message;
  }
  release();
}

void Link::release() {
  const std::lock_guard lock(mutex_);
  while (first_ && first_->due_ <= Clock::now()) {
    first_->give();
    first_ = first_->next_;
  }
  if (!first_) last_ = nullptr;
  if (first_) progress_.notify_at(first_->due_);
}

void Link::cancel(ThrottledSend& message) {
  const std::lock_guard lock(mutex_);
  ThrottledSend* before = nullptr;
  for (ThrottledSend* m = first_; m; before = m, m = m->next_) {
    if (m != &message) continue;
    (before ? before->next_ : first_) = m->next_;
    if (last_ == m) last_ = before;
    return;
  }
}

std::unique_ptr<Request> ThrottledMessages::send(int to, const void* data, std::int64_t bytes,
                                                 const std::string& label) {
  std::unique_ptr<Request> request = messages_.send(to, data, bytes, label);
  if (to == rank()) return request;
  return std::make_unique<ThrottledSend>(link_, std::move(request));
}

}  // namespace ddlbench::comm
