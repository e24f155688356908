#pragma once

#include <map>
#include <vector>

#include "program/mesh.h"
#include "strategies/passes/buckets.h"
#include "strategies/passes/lower.h"
#include "strategies/passes/stage_map.h"

namespace ddlbench::strategies {

/// What is the same for every pass that writes one role: which part of the mesh it stands for.
struct RolePosition {
  const program::Mesh& mesh;
  program::Coordinates coordinates;  ///< on the mesh; of an axis that makes no difference, the first
  int pipeline = 0;                  ///< rank of the pipeline axis
  int microbatches = 1;

  /// On the axes of the rules of a sharded graph.
  std::vector<int> on(const std::vector<AxisRule>& rules) const;
};

/// A parameter in the flat buffers of a role.
struct FlatParameter {
  graph::TensorId tensor = graph::absent;
  graph::TensorType type;  ///< the role's part
  std::vector<graph::Extent> box;
  GradientRange range;  ///< the same in all flat buffers
};

/// How the parameters of one role lie one after another, and in which buckets they are communicated. The same
/// for training and evaluation.
struct FlatLayout {
  std::vector<FlatParameter> parameters;
  std::vector<Bucket> buckets;
  std::int64_t bytes = 0;

  std::size_t bucket_of(std::size_t parameter) const;
};

/// With `apart` the stages that one rank runs share no bucket: where a bucket is there only while it is used,
/// it would else be there from the first stage's turn to the last's. `ties` are those of Untied.
FlatLayout lay_out(const ShardedGraph& training, const StageMap& stages, const RolePosition& position,
                   const std::map<graph::TensorId, Tie>& ties, const BucketSizes& sizes, bool apart);

}  // namespace ddlbench::strategies
