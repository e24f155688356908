#include "comm/throttle.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "graph/random.h"

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
  Clock::time_point due_{};  ///< in the link's time
  ThrottledSend* next_ = nullptr;
};

namespace {

Clock::duration duration_of(double seconds) {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

std::optional<Stall> stall_of(const Throttle& throttle, int rank) {
  return throttle.stall.rank == rank ? std::optional(throttle.stall) : std::nullopt;
}

}  // namespace

Link::Link(const Throttle& throttle, int rank, Progress& progress)
    : throttle_(throttle), rank_(rank), progress_(progress), clock_(stall_of(throttle, rank), Clock::now()) {}

double Link::next_jitter() {
  const graph::Philox random = graph::philox(static_cast<std::uint64_t>(rank_), 0, messages_++);
  return throttle_.jitter_seconds * static_cast<double>(graph::unit_float(random.v[0]));
}

bool Link::stalled() const {
  const std::lock_guard lock(mutex_);
  return clock_.stalled(Clock::now());
}

void Link::post(ThrottledSend& message) {
  {
    const std::lock_guard lock(mutex_);
    const Clock::time_point now = Clock::now();
    const double rate = throttle_.bytes_per_second;
    clock_.count(message.bytes(), now);
    free_at_ =
        std::max(free_at_, clock_.at(now)) + duration_of(rate > 0 ? static_cast<double>(message.bytes()) / rate : 0.0);
    message.due_ = free_at_ + duration_of(throttle_.latency_seconds + next_jitter());
    message.next_ = nullptr;
    (last_ ? last_->next_ : first_) = &message;
    last_ = &message;
  }
  release();
}

void Link::release() {
  const std::lock_guard lock(mutex_);
  for (Clock::time_point now = Clock::now(); first_ && !clock_.stalled(now) && first_->due_ <= clock_.at(now);
       now = Clock::now()) {
    first_->give();
    first_ = first_->next_;
  }
  if (!first_) last_ = nullptr;
  if (first_) progress_.notify_at(clock_.when(first_->due_));
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
