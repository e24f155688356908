#pragma once

#include <vector>

#include "strategies/passes/clock.h"
#include "strategies/passes/lower.h"
#include "strategies/passes/stage_map.h"
#include "strategies/passes/without_flush.h"

namespace ddlbench::strategies {

/// A value that is sent from one pipeline rank to another.
struct StageTransfer {
  ValueId value = graph::absent;
  int microbatch = 0;
  int from = 0;  ///< pipeline ranks
  int to = 0;
  double time = 0;  ///< when the work that produces it ends
  int age = 0;      ///< of its batch, when it is sent
};

/// A schedule in virtual time, on the clock of the stage map's pipeline. The times give all messages one global order,
/// in which they can be posted without deadlock under any schedule: a message that is posted at a time depends only on
/// work that began before it.
class Timetable {
 public:
  /// Contains only forward work unless `training`. Throws ContractError where the schedule waits for itself or omits
  /// work.
  Timetable(const ShardedGraph& sharded, const StageMap& stages, const Schedule& schedule, bool training);
  /// A step without flush, in which the batches of `ages` exist. A value is sent when its receiver begins to use it, so
  /// that no message is under way between two steps. Where the same two ranks then have a message in the other
  /// direction, both are one exchange. Throws Unsupported where a value skips a stage.
  Timetable(const ShardedGraph& sharded, const StageMap& stages, const Ages& ages);

  /// The batches that exist in the step.
  const Ages& ages() const { return ages_; }
  const std::vector<TimedWork>& works(int rank) const { return works_[static_cast<std::size_t>(rank)]; }
  /// Returns the messages that `rank` sends or receives, by time; sender and receiver list those of one time in the
  /// same order.
  const std::vector<StageTransfer>& transfers(int rank) const { return transfers_[static_cast<std::size_t>(rank)]; }

 private:
  void sort_transfers();

  Ages ages_;
  std::vector<std::vector<TimedWork>> works_;
  std::vector<std::vector<StageTransfer>> transfers_;
};

}  // namespace ddlbench::strategies
