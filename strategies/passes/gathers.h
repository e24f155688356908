#pragma once

#include <map>
#include <utility>
#include <vector>

#include "strategies/passes/instances.h"
#include "strategies/passes/recompute.h"
#include "strategies/passes/timetable.h"
#include "strategies/passes/writer.h"

namespace ddlbench::strategies {

/// Sharded parameters: gathers each bucket before the first step of a piece of work that uses it, the next ones
/// while that step runs (as far ahead as the partition's prefetch says), and drops it after the last.
class Gathers {
 public:
  /// `steps[w]`: what piece of work w does, in order.
  Gathers(const ShardedGraph& sharded, const FlatLayout& layout, const Storage& storage, const Shards& shards,
          const std::vector<TimedWork>& works, const std::vector<std::vector<PlacedStep>>& steps, Instances& instances,
          Writer& writer);

  /// Before step `step` of work `work` is written.
  void prepare(std::size_t work, int step);

 private:
  struct Use {
    std::size_t bucket = 0;
    int stage = 0;
    int microbatch = 0;
    program::View whole;
  };

  std::vector<std::size_t> buckets_of(int step) const;
  void issue(Use& use);

  const ShardedGraph& sharded_;
  const FlatLayout& layout_;
  const Storage& storage_;
  const Shards& shards_;
  Instances& instances_;
  Writer& writer_;
  std::vector<Use> uses_;                                              ///< one gather each, in order
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> use_of_;  ///< by work and bucket
  std::size_t issued_ = 0;
};

}  // namespace ddlbench::strategies
