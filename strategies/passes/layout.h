#pragma once

#include <map>
#include <vector>

#include "program/mesh.h"
#include "strategies/passes/buckets.h"
#include "strategies/passes/lower.h"
#include "strategies/passes/stage_map.h"

namespace ddlbench::strategies {

/// The position on the mesh of the ranks that share a role.
struct RolePosition {
  const program::Mesh& mesh;
  program::Coordinates coordinates;  ///< on the mesh; 0 on an axis whose ranks share the role
  int pipeline = 0;                  ///< rank of the pipeline axis
  int microbatches = 1;

  /// Returns the coordinate on the axis of each rule.
  std::vector<int> on(const std::vector<AxisRule>& rules) const;
};

/// A parameter in the flat buffers of a role.
struct FlatParameter {
  graph::TensorId tensor = graph::absent;
  graph::TensorType type;  ///< the role's part
  std::vector<graph::Extent> box;
  GradientRange range;                    ///< equal in all flat buffers
  std::vector<std::string> sharded_axes;  ///< axes over which it is split
  bool exempt = false;                    ///< see UpdateSegment: true for parameters of fewer than two dimensions
};

/// An observed statistic in the flat buffers of a role.
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
  Tie tie;  ///< of statistics that several pipeline ranks observe: those of one group
  float momentum = 0;
  std::int64_t observations = 0;  ///< per micro-batch
};

/// Returns the group of the ranks along `axes` and, among those of the pipeline, of `holders` (Tie::holders).
program::Group group_of(std::vector<std::string> axes, const std::vector<int>& holders);

/// The order of a role's parameters in the flat buffers, and the buckets in which they are communicated. The same for
/// training and evaluation.
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

/// Which parameters never share a bucket.
struct BucketBoundaries {
  bool stages = false;  ///< those of different stages of one rank: a bucket that exists only while it is in use would
                        ///< otherwise exist from the first stage's turn to the last's
  bool shardings = false;        ///< split parameters and others: their norms are summed over different ranks
  bool layers = false;           ///< those of different layers: parameters whose names differ before the last dot
  std::vector<int> cycles = {};  ///< by parameter; those of different cycles. Empty: there are none
};

/// Lays out the parameters and statistics of the role at `position`. `ties` are those of Untied.
FlatLayout lay_out(const ShardedGraph& training, const StageMap& stages, const RolePosition& position,
                   const std::map<graph::TensorId, Tie>& ties, const BucketSizes& sizes, BucketBoundaries apart);

}  // namespace ddlbench::strategies
