#pragma once

#include <cstdint>
#include <vector>

#include "strategies/passes/lower.h"
#include "strategies/passes/schedule.h"
#include "strategies/passes/stage_map.h"

namespace ddlbench::strategies {

bool covers(Work::Kind kind, graph::Phase phase);

struct TimedWork {
  Work work;
  int stage = 0;  ///< of the model
  int begin = 0;
  int end = 0;
};

/// A value on its way to another rank of the pipeline.
struct Crossing {
  ValueId value = graph::absent;
  int microbatch = 0;
  int from = 0;  ///< ranks of the pipeline axis
  int to = 0;
  int time = 0;  ///< when the phase that makes it ends
};

/// A schedule in virtual time: forward and each half of backward take one unit, messages none. (Of a backward
/// the half that others wait for ends first.) It gives all
/// messages one order over all ranks, that of their times, in which they can be posted without deadlock by
/// whatever schedule: what is posted at a time needs only work that began before it.
class Timetable {
 public:
  /// Forward work alone where not `training`. Throws ContractError where the schedule waits for itself or
  /// leaves out work.
  Timetable(const ShardedGraph& sharded, const StageMap& stages, const Pipeline& pipeline, Schedule schedule,
            bool training);

  const std::vector<TimedWork>& works(int rank) const { return works_[static_cast<std::size_t>(rank)]; }
  /// Those that begin or end at `rank`, by time; both ends list those of one time in the same order.
  const std::vector<Crossing>& crossings(int rank) const { return crossings_[static_cast<std::size_t>(rank)]; }

 private:
  std::vector<std::vector<TimedWork>> works_;
  std::vector<std::vector<Crossing>> crossings_;
};

}  // namespace ddlbench::strategies
