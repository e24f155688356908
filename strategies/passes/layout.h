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
  GradientRange range;                    ///< the same in all flat buffers
  std::vector<std::string> sharded_axes;  ///< over which it is split
  bool exempt = false;                    ///< as of UpdateSegment: it has one dimension
};

/// A statistic that is observed, in the flat buffers of a role.
struct FlatStatistic {
  graph::TensorId tensor = graph::absent;
  ValueId observed = graph::absent;
  graph::TensorType type;  ///< the role's part
  std::vector<graph::Extent> box;
  std::int64_t begin = 0;  ///< elements
};

/// Statistics that follow one another and are summed and updated together.
struct StatisticRun {
  std::int64_t begin = 0;  ///< elements
  std::int64_t end = 0;
  std::vector<std::string> partial_axes;
  float momentum = 0;
  std::int64_t observations = 0;  ///< of one micro-batch
};

/// How the parameters of one role lie one after another, and in which buckets they are communicated. The same
/// for training and evaluation.
struct FlatLayout {
  std::vector<FlatParameter> parameters;
  std::vector<Bucket> buckets;
  std::int64_t elements = 0;               ///< of all parameters
  graph::DType dtype = graph::DType::f32;  ///< of parameters and gradients
  std::vector<FlatStatistic> statistics;
  std::vector<StatisticRun> statistic_runs;
  std::int64_t statistic_elements = 0;

  std::size_t bucket_of(std::size_t parameter) const;
};

/// What shares no bucket.
struct Apart {
  bool stages = false;     ///< of one rank: a bucket that is there only while it is used would else be there from the
                           ///< first stage's turn to the last's
  bool shardings = false;  ///< parameters that are split over an axis, and others: their norms are summed otherwise
};

/// `ties` are those of Untied.
FlatLayout lay_out(const ShardedGraph& training, const StageMap& stages, const RolePosition& position,
                   const std::map<graph::TensorId, Tie>& ties, const BucketSizes& sizes, Apart apart);

}  // namespace ddlbench::strategies
