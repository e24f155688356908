#pragma once

#include <atomic>
#include <memory>

#include "comm/communicator.h"
#include "comm/failure.h"
#include "comm/point_to_point.h"
#include "comm/progress.h"
#include "comm/task.h"
#include "comm/turns.h"

namespace ddlbench::comm {

class Link;

/// What the operations of one rank share, in all groups.
struct RankContext {
  RankContext(int rank, const WorldOptions& options, Progress& p, Failure& f, SentCounters& s, Turns& t, Link& own_link)
      : world_rank(rank),
        timeout(options.timeout),
        progress(p),
        failure(f),
        sent(s),
        turns(t),
        link(options.throttle.any() ? &own_link : nullptr) {}

  int world_rank;
  std::chrono::milliseconds timeout;
  Progress& progress;
  Failure& failure;
  SentCounters& sent;
  Turns& turns;
  Link* link;  ///< the throttled link of messages to other ranks; null: none
};

/// An operation that runs a Task.
class ScheduledOperation final : public Operation, private Advanceable {
 public:
  /// Keeps `scratch` alive for the task, which may point into it. `in_turn`: see Reduce.
  ScheduledOperation(const RankContext& context, PointToPoint& point_to_point, std::unique_ptr<Task> task,
                     std::unique_ptr<std::byte[]> scratch, bool in_turn = false);
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
  bool waits_for_turn() const { return in_turn_ && !context_.turns.begins(turn_); }
  void note_moved();
  ScheduledOperation& first_in_turn();
  Clock::time_point deadline();
  void time_out();

  const RankContext& context_;
  PointToPoint& point_to_point_;
  std::unique_ptr<std::byte[]> scratch_;
  std::unique_ptr<Task> task_;
  const bool in_turn_;
  std::int64_t turn_ = 0;
  std::atomic<State> state_{State::prepared};
  bool begun_ = false;  ///< it has been started, and has had its turn
  Times times_;
  Clock::time_point last_moved_;
  Clock::time_point owner_waits_since_;
  bool owner_waits_ = false;
};

}  // namespace ddlbench::comm
