#pragma once

#include <atomic>
#include <memory>

#include "comm/communicator.h"
#include "comm/failure.h"
#include "comm/point_to_point.h"
#include "comm/progress.h"
#include "comm/task.h"

namespace ddlbench::comm {

class Link;

/// What the operations of one rank share, in all groups.
struct RankContext {
  int world_rank = 0;
  std::chrono::milliseconds timeout{0};
  Progress& progress;
  Failure& failure;
  SentCounters& sent;
  Link* link = nullptr;  ///< the throttled link of messages to other ranks; null: none
};

/// An operation that runs a Task.
class ScheduledOperation final : public Operation, private Advanceable {
 public:
  /// Keeps `scratch` alive for the task, which may point into it.
  ScheduledOperation(const RankContext& context, PointToPoint& point_to_point, std::unique_ptr<Task> task,
                     std::unique_ptr<std::byte[]> scratch);
  ~ScheduledOperation() override;

  void start() override;
  bool complete() override;
  void wait() override;
  bool done() const override { return state_.load() == State::complete; }
  Times times() const override { return times_; }

 private:
  enum class State : std::uint8_t { prepared, running, complete };

  bool advance() override;
  Task::Advance advance_locked(std::int64_t limit);
  Clock::time_point deadline();
  void time_out();

  const RankContext& context_;
  PointToPoint& point_to_point_;
  std::unique_ptr<std::byte[]> scratch_;
  std::unique_ptr<Task> task_;
  std::atomic<State> state_{State::prepared};
  Times times_;
  Clock::time_point last_moved_;
  Clock::time_point owner_waits_since_;
  bool owner_waits_ = false;
};

}  // namespace ddlbench::comm
