#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "program/plan.h"
#include "strategies/passes/layout.h"

namespace ddlbench::strategies {

/// How much of the flat storage each data-parallel rank keeps for itself alone (ZeRO, Rajbhandari et al. 2020).
struct Partition {
  int stage = 0;        ///< 1: optimizer states are sharded; 2: gradients, too; 3: parameters, too
  int prefetch = 1;     ///< stage 3: buckets that are gathered ahead of their use
  bool reshard = true;  ///< stage 3: parameters are dropped after forward and gathered again for backward
  std::string axis = "data";

  bool states() const { return stage >= 1; }
  bool gradients() const { return stage >= 2; }
  bool parameters() const { return stage >= 3; }
};

/// A view of flat storage as a vector of f32.
program::Operand flat(const program::View& view);

/// The own parts of all buckets: part_of each, in elements, one after another in the buffers of shards.
class Shards {
 public:
  /// Of the ranks at `coordinates` of the axis, whose shards are of one size.
  Shards(const FlatLayout& layout, const program::Mesh& mesh, Partition partition, graph::Extent coordinates);

  const Partition& partition() const { return partition_; }
  program::ShardAxis axis() const;
  std::int64_t bytes() const { return bytes_; }  ///< of all own parts

  /// The own part of a bucket, in a buffer of shards.
  program::View in_shard(program::BufferId buffer, std::size_t bucket) const;
  /// The own part of a bucket, where it lies in a whole flat buffer.
  program::View in_whole(program::BufferId buffer, std::size_t bucket) const;
  /// Elements of every rank's part.
  std::vector<std::int64_t> counts(std::size_t bucket) const;

  /// What held_state has to know of a buffer of shards, and of a whole one in which the own parts alone count.
  std::vector<program::Segment> segments_in_shard() const;
  std::vector<program::Segment> segments_in_whole() const;

 private:
  struct Own {
    std::int64_t begin = 0;  ///< of the bucket, in the whole buffer
    std::int64_t end = 0;
    std::int64_t offset = 0;  ///< in a buffer of shards
    std::int64_t first = 0;   ///< place of the part of coordinate 0, if all were as large as the own one
    std::int64_t bytes = 0;   ///< of the own part
  };

  Partition partition_;
  int ranks_;
  graph::Extent coordinates_;
  std::vector<Own> own_;
  std::int64_t bytes_ = 0;
};

/// Cuts the ranks of the partition's axis into runs whose shards are of one size each: one, where the ranks
/// divide every bucket. Each run is a role.
std::vector<graph::Extent> equal_shards(const FlatLayout& layout, const program::Mesh& mesh,
                                        const Partition& partition);

}  // namespace ddlbench::strategies
