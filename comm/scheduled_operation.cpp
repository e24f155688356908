#include "comm/scheduled_operation.h"

#include <fmt/core.h>
#include <algorithm>
#include <limits>
#include <utility>

#include "base/error.h"

namespace ddlbench::comm {

namespace {

/// The largest piece of work that start() and complete() do themselves: copying it takes a few microseconds, so that
/// they return at once.
constexpr std::int64_t inline_bytes = 64 * 1024;
constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();

}  // namespace

ScheduledOperation::ScheduledOperation(const RankContext& context, PointToPoint& point_to_point,
                                       std::unique_ptr<Task> task, std::unique_ptr<std::byte[]> scratch, bool in_turn)
    : context_(context),
      point_to_point_(point_to_point),
      scratch_(std::move(scratch)),
      task_(std::move(task)),
      in_turn_(in_turn) {
  context_.progress.reserve_slot();
  if (in_turn_) context_.turns.add(*this);
}

ScheduledOperation::~ScheduledOperation() {
  context_.progress.remove(*this);
  // Waits for the helper, which may still be advancing this operation. After that, the requests cancel themselves.
  { const std::lock_guard lock(mutex()); }
  context_.progress.release_slot();
  if (!in_turn_) return;
  context_.turns.remove(*this);
  if (state_.load() == State::running) context_.turns.end();
}

void ScheduledOperation::start() {
  context_.failure.rethrow();
  require(state_.load() != State::running, "a communication was started again before it was complete");
  Progress::OwnerCall owner_call(context_.progress, Progress::CallMode::nonblocking);
  const std::lock_guard lock(mutex());
  const bool exchange = task_->kind() == Kind::send;
  task_->begin(exchange ? PointToPoint::exchanges : point_to_point_.next_collective());
  if (in_turn_) turn_ = context_.turns.take();
  begun_ = owner_waits_ = false;
  state_.store(State::running);
  context_.progress.add(*this);
  if (advance_locked(inline_bytes).deferred) owner_call.leave_work_to_helper();
}

Task::Advance ScheduledOperation::advance_locked(std::int64_t limit) {
  if (state_.load() != State::running || waits_for_turn()) return {};
  if (!std::exchange(begun_, true)) times_.started = last_moved_ = Clock::now();
  Task::Advance result;
  try {
    result = task_->advance(limit);
  } catch (const CommunicationError& error) {
    // This may be the helper thread. The owner receives the failure when it waits.
    context_.failure.raise(error.kind(), error.rank(), task_->label(), error.what());
    return {};
  }
  if (result.moved) note_moved();
  if (task_->done()) {
    note_moved();
    times_.finished = last_moved_;
    context_.progress.remove(*this);
    if (in_turn_) context_.turns.end();
    state_.store(State::complete);
  }
  return result;
}

void ScheduledOperation::note_moved() {
  last_moved_ = Clock::now();
  if (in_turn_) context_.turns.note_moved(last_moved_);
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

/// The timeout runs from the owner's first complete() or wait(), or from the last progress after that; before this
/// operation's turn, the progress of those in turn.
Clock::time_point ScheduledOperation::deadline() {
  const std::lock_guard lock(mutex());
  if (!owner_waits_) {
    owner_waits_ = true;
    owner_waits_since_ = Clock::now();
  }
  const Clock::time_point moved = waits_for_turn() ? context_.turns.last_moved() : last_moved_;
  return std::max(moved, owner_waits_since_) + context_.timeout;
}

/// Returns the first started operation of those in turn that are not complete.
ScheduledOperation& ScheduledOperation::first_in_turn() {
  ScheduledOperation* first = this;
  for (ScheduledOperation* other : context_.turns.operations())
    if (other->state_.load() == State::running && other->turn_ < first->turn_) first = other;
  return *first;
}

void ScheduledOperation::time_out() {
  int member = -1;
  bool waits = false;
  {
    const std::lock_guard lock(mutex());
    if (task_->done()) return;
    member = task_->waiting_for();
    waits = waits_for_turn();
  }
  if (waits)
    if (ScheduledOperation& first = first_in_turn(); &first != this) return first.time_out();
  const int blamed = member < 0 ? -1 : point_to_point_.blame(task_->sequence(), member);
  const std::string for_whom = blamed == context_.world_rank ? "its own link" : fmt::format("rank {}", blamed);
  const std::string what =
      fmt::format("rank {} waited {} ms for {}", context_.world_rank, context_.timeout.count(), for_whom);
  context_.failure.raise(CommunicationError::Kind::timed_out, blamed, task_->label(), what);
  context_.failure.rethrow();
}

}  // namespace ddlbench::comm
