#pragma once

#include <map>
#include <utility>
#include <vector>

#include "strategies/passes/instances.h"
#include "strategies/passes/recompute.h"
#include "strategies/passes/timetable.h"
#include "strategies/passes/writer.h"

namespace ddlbench::strategies {

/// Gathers sharded parameters: each bucket before the first step of a piece of work that uses it, and the next buckets,
/// up to the partition's prefetch, while that step runs. A bucket is dropped after its last use.
class Gathers {
 public:
  /// `steps[w]`: the steps of work w, in order.
  Gathers(const ShardedGraph& sharded, const FlatLayout& layout, const Storage& storage, const Shards& shards,
          const std::vector<TimedWork>& works, const std::vector<std::vector<PlacedStep>>& steps, Instances& instances,
          Writer& writer);

  /// Emits the gathers that must precede step `step` of work `work`. Call before that step is written.
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
  std::vector<Use> uses_;                                              ///< one gather for each, in order
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> use_of_;  ///< by work and bucket
  std::size_t issued_ = 0;
};

}  // namespace ddlbench::strategies
