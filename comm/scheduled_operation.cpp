#include "comm/scheduled_operation.h"

#include <fmt/core.h>
#include <algorithm>
#include <limits>

#include "base/error.h"

namespace ddlbench::comm {

namespace {

/// The largest piece of work that start() and complete() do themselves: copying it takes a few microseconds, so that
/// they return at once.
constexpr std::int64_t inline_bytes = 64 * 1024;
constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();

}  // namespace

ScheduledOperation::ScheduledOperation(const RankContext& context, PointToPoint& point_to_point,
                                       std::unique_ptr<Task> task, std::unique_ptr<std::byte[]> scratch)
    : context_(context), point_to_point_(point_to_point), scratch_(std::move(scratch)), task_(std::move(task)) {
  context_.progress.reserve_slot();
}

ScheduledOperation::~ScheduledOperation() {
  context_.progress.remove(*this);
  // Waits for the helper, which may still be advancing this operation. After that, the requests cancel themselves.
  { const std::lock_guard lock(mutex()); }
  context_.progress.release_slot();
}

void ScheduledOperation::start() {
  context_.failure.rethrow();
  require(state_.load() != State::running, "a communication was started again before it was complete");
  Progress::OwnerCall owner_call(context_.progress, Progress::CallMode::nonblocking);
  const std::lock_guard lock(mutex());
  const bool exchange = task_->kind() == Kind::send;
  task_->begin(exchange ? PointToPoint::exchanges : point_to_point_.next_collective());
  times_.started = last_moved_ = Clock::now();
  owner_waits_ = false;
  state_.store(State::running);
  context_.progress.add(*this);
  if (advance_locked(inline_bytes).deferred) owner_call.leave_work_to_helper();
}

Task::Advance ScheduledOperation::advance_locked(std::int64_t limit) {
  if (state_.load() != State::running) return {};
  Task::Advance result;
  try {
    result = task_->advance(limit);
  } catch (const CommunicationError& error) {
    // This may be the helper thread. The owner receives the failure when it waits.
    context_.failure.raise(error.kind(), error.rank(), task_->label(), error.what());
    return {};
  }
  if (result.moved) last_moved_ = Clock::now();
  if (task_->done()) {
    times_.finished = last_moved_ = Clock::now();
    context_.progress.remove(*this);
    state_.store(State::complete);
  }
  return result;
}

bool ScheduledOperation::advance() {
  return advance_locked(unlimited).moved;
}

bool ScheduledOperation::complete() {
  require(state_.load() != State::prepared, "a communication was queried before it was started");
  if (state_.load() == State::complete) return true;
  Progress::OwnerCall owner_call(context_.progress, Progress::CallMode::nonblocking);
  if (std::unique_lock lock(mutex(), std::try_to_lock); lock) {
    if (advance_locked(inline_bytes).deferred) owner_call.leave_work_to_helper();
  }
  if (state_.load() == State::complete) return true;
  context_.failure.rethrow();
  if (Clock::now() >= deadline()) time_out();
  return false;
}

void ScheduledOperation::wait() {
  require(state_.load() != State::prepared, "a communication was waited for before it was started");
  if (state_.load() == State::complete) return;
  Progress::OwnerCall owner_call(context_.progress, Progress::CallMode::blocking);
  while (true) {
    const bool moved = owner_call.pass();
    if (state_.load() == State::complete) return;
    context_.failure.rethrow();
    if (moved) continue;
    const Clock::time_point last = deadline();
    if (Clock::now() >= last) time_out();
    owner_call.sleep(last);
  }
}

/// The timeout runs from the owner's first complete() or wait(), or from the last progress after that.
Clock::time_point ScheduledOperation::deadline() {
  const std::lock_guard lock(mutex());
  if (!owner_waits_) {
    owner_waits_ = true;
    owner_waits_since_ = Clock::now();
  }
  return std::max(last_moved_, owner_waits_since_) + context_.timeout;
}

void ScheduledOperation::time_out() {
  int member = -1;
  {
    const std::lock_guard lock(mutex());
    if (task_->done()) return;
    member = task_->waiting_for();
  }
  const int blamed = member < 0 ? -1 : point_to_point_.blame(task_->sequence(), member);
  const std::string for_whom = blamed == context_.world_rank ? "its own link" : fmt::format("rank {}", blamed);
  const std::string what =
      fmt::format("rank {} waited {} ms for {}", context_.world_rank, context_.timeout.count(), for_whom);
  context_.failure.raise(CommunicationError::Kind::timed_out, blamed, task_->label(), what);
  context_.failure.rethrow();
}

}  // namespace ddlbench::comm
