#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "program/plan.h"
#include "strategies/passes/layout.h"

namespace ddlbench::strategies {

/// How flat storage is sharded over data-parallel ranks (ZeRO, Rajbhandari et al. 2020), and whether gradients are
/// stored at all.
struct Partition {
  int stage = 0;                ///< 1: optimizer states are sharded; 2: gradients, too; 3: parameters, too
  int prefetch = 1;             ///< stage 3: number of buckets that are gathered ahead of their use
  bool reshard = true;          ///< stage 3: parameters are dropped after forward and gathered again for backward
  bool keeps_gradients = true;  ///< false: a bucket's gradients exist only from their first write to the update
  bool in_parts = false;        ///< gradients are reduced in parts and gathered again, though states are not sharded
  std::string axis = "data";

  bool states() const { return stage >= 1; }
  bool gradients() const { return stage >= 2; }
  bool parameters() const { return stage >= 3; }
  bool divides() const { return states() || in_parts; }
};

/// A flat buffer of one data type, with an element for every element of the layout, or, if `sharded`, only for those of
/// the rank's own shards.
struct FlatBuffer {
  program::BufferId id = program::none;
  graph::DType dtype = graph::DType::f32;
  bool sharded = false;
};

/// Returns a vector operand over the range `elements` of a flat buffer. With `stride` (elements) the range begins that
/// much further for each step along the shard axis.
program::Operand flat(program::BufferId buffer, graph::DType dtype, graph::Extent elements, std::int64_t stride = 0);

/// The rank's own parts of all buckets: part_of each bucket, where the partition divides them. In sharded buffers they
/// lie one after another.
class Shards {
 public:
  /// `coordinates`: ranks of the partition's axis that have shards of equal sizes and so share a program.
  Shards(const FlatLayout& layout, const program::Mesh& mesh, Partition partition, graph::Extent coordinates);

  const Partition& partition() const { return partition_; }
  program::ShardAxis axis() const;
  std::int64_t elements() const { return elements_; }  ///< of all own parts together

  /// Returns what this rank updates, or updates with, of a bucket: its own part where states are sharded, else the
  /// whole bucket.
  program::Operand own(const FlatBuffer& buffer, std::size_t bucket) const;
  /// Returns the own part of a bucket, also within a buffer that is not sharded. Only where the partition divides.
  program::Operand part(const FlatBuffer& buffer, std::size_t bucket) const;
  /// Returns the whole of a bucket in a buffer that is not sharded.
  program::Operand whole(const FlatBuffer& buffer, std::size_t bucket) const;
  /// Returns the range of the own part in the layout. Throws ContractError where several ranks with different parts
  /// share the program.
  graph::Extent own_elements(std::size_t bucket) const;
  /// Returns the number of elements of each rank's part.
  std::vector<std::int64_t> counts(std::size_t bucket) const;

  /// Returns the segments that program::held_state needs for a sharded buffer, or for a whole buffer in which only the
  /// own parts count.
  std::vector<program::Segment> segments(const FlatBuffer& buffer) const;

 private:
  struct Own {
    std::int64_t begin = 0;  ///< of the bucket, in the layout
    std::int64_t end = 0;
    std::int64_t offset = 0;  ///< of the own part in a sharded buffer
    std::int64_t first = 0;   ///< where the part of coordinate 0 would begin if all parts were as large as the own one
    std::int64_t size = 0;    ///< of the own part
  };

  Partition partition_;
  int ranks_;
  graph::Extent coordinates_;
  std::vector<Own> own_;  ///< in elements, by bucket
  std::int64_t elements_ = 0;
};

/// Divides the ranks of the partition's axis into runs of ranks whose shards have equal sizes: a single run where the
/// number of ranks divides every bucket. Each run is a role. With `apart`, every rank with sharded states is a run: for
/// programs that must know which elements lie in their shards.
std::vector<graph::Extent> equal_shards(const FlatLayout& layout, const program::Mesh& mesh, const Partition& partition,
                                        bool apart);

}  // namespace ddlbench::strategies
