#pragma once

#include <cstdint>
#include <string>

#include "graph/graph.h"
#include "program/mesh.h"
#include "strategies/passes/buckets.h"
#include "strategies/passes/partition.h"
#include "strategies/passes/recompute.h"
#include "strategies/passes/schedule.h"

namespace ddlbench::strategies {

/// What an axis of the mesh splits between its ranks.
enum class Use : std::uint8_t { stages, batch, features };

/// The name of the axis of that use: "pipeline", "data", "tensor".
std::string axis_name(Use use);

/// How many ranks each axis has; 1 where a use has none.
struct MeshSpec {
  int stages = 1, batch = 1, features = 1;

  /// The axes of more than one rank in the order of Use, the last fastest. Throws InputError where they are too many.
  program::Mesh mesh() const;
};

struct BatchSpec {
  int microbatches = 1;  ///< that a batch is processed in, one after another
};

struct PipelineSpec {
  Schedule schedule = accumulate_schedule;
  int chunks = 1;                                  ///< of the model on each rank
  graph::Halves halves = graph::Halves::together;  ///< apart in any case where the schedule puts them so
};

struct SyncSpec {
  bool overlap = true;  ///< a bucket is reduced as soon as its last gradient is there
  BucketSizes buckets;
};

/// What a strategy decides, all that the passes read of it: one member for each facet (facets/facet.h). Every strategy
/// is a preset of some facets (preset.h); a hybrid leaves all of them open.
struct StrategySpec {
  MeshSpec mesh;
  BatchSpec batch;
  PipelineSpec pipeline;
  SyncSpec sync;
  Partition state;  ///< over the ranks that split the batch
  Recomputation memory;

  Pipeline timing() const { return {mesh.stages, pipeline.chunks, batch.microbatches}; }
};

}  // namespace ddlbench::strategies
