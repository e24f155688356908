#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "program/plan.h"
#include "strategies/passes/layout.h"

namespace ddlbench::strategies {

/// How much of the flat storage there is at all times, and how much of that each data-parallel rank keeps for itself
/// alone (ZeRO, Rajbhandari et al. 2020).
struct Partition {
  int stage = 0;        ///< 1: optimizer states are sharded; 2: gradients, too; 3: parameters, too
  int prefetch = 1;     ///< stage 3: buckets that are gathered ahead of their use
  bool reshard = true;  ///< stage 3: parameters are dropped after forward and gathered again for backward
  bool keeps_gradients = true;  ///< false: a bucket's are there from the first that is made to the update that takes them
  std::string axis = "data";

  bool states() const { return stage >= 1; }
  bool gradients() const { return stage >= 2; }
  bool parameters() const { return stage >= 3; }
};

/// A flat buffer of numbers of one type: one for every element of the layout, or for those of the own shards.
struct FlatBuffer {
  program::BufferId id = program::none;
  graph::DType dtype = graph::DType::f32;
  bool sharded = false;
};

/// So many elements of flat storage as a vector.
program::Operand flat(program::BufferId buffer, graph::DType dtype, graph::Extent elements, std::int64_t stride = 0);

/// The own parts of all buckets: part_of each, one after another in the buffers of shards.
class Shards {
 public:
  /// Of the ranks at `coordinates` of the axis, whose shards are of one size.
  Shards(const FlatLayout& layout, const program::Mesh& mesh, Partition partition, graph::Extent coordinates);

  const Partition& partition() const { return partition_; }
  program::ShardAxis axis() const;
  std::int64_t elements() const { return elements_; }  ///< of all own parts

  /// What this rank updates, or updates with, of a bucket: its own part where states are sharded, else all of it.
  program::Operand own(const FlatBuffer& buffer, std::size_t bucket) const;
  /// All of a bucket, in a buffer that is not sharded.
  program::Operand whole(const FlatBuffer& buffer, std::size_t bucket) const;
  /// The own part's place in the layout, where one rank runs the program.
  graph::Extent own_elements(std::size_t bucket) const;
  /// Elements of every rank's part.
  std::vector<std::int64_t> counts(std::size_t bucket) const;

  /// What held_state has to know of a buffer of shards, and of a whole one in which the own parts alone count.
  std::vector<program::Segment> segments(const FlatBuffer& buffer) const;

 private:
  struct Own {
    std::int64_t begin = 0;  ///< of the bucket, in the whole
    std::int64_t end = 0;
    std::int64_t offset = 0;  ///< in a buffer of shards
    std::int64_t first = 0;   ///< place of the part of coordinate 0, if all were as large as the own one
    std::int64_t size = 0;    ///< of the own part
  };

  Partition partition_;
  int ranks_;
  graph::Extent coordinates_;
  std::vector<Own> own_;  ///< elements, by bucket
  std::int64_t elements_ = 0;
};

/// Cuts the ranks of the partition's axis into runs whose shards are of one size each: one, where the ranks
/// divide every bucket. Each run is a role. With `apart` every rank is one: where a program has to know whose elements
/// lie in its shards.
std::vector<graph::Extent> equal_shards(const FlatLayout& layout, const program::Mesh& mesh, const Partition& partition,
                                        bool apart);

}  // namespace ddlbench::strategies
